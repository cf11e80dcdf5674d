"""Syntax of the code that a patch shows."""
