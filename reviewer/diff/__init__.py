"""Diffs as they stand in mails: files, hunks and lines with their places, and patch-ids. Nothing named is opened."""
