"""The errors that reach the command line, each one line that says what to do."""

from __future__ import annotations


class ReviewerError(Exception):
    """Something the user can mend. Its text is the one line shown, without a full stop."""


class UsageError(ReviewerError):
    """A wrong option, format, rule name or template folder."""


class InputError(ReviewerError):
    """A source that cannot be read, or that holds neither patch nor cover letter."""


class RuleLoadError(ReviewerError):
    """A rule plugin that cannot be loaded; names its file."""
