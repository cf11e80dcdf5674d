"""Where the shipped rules and templates lie."""

from __future__ import annotations

from pathlib import Path


def shipped(name: str) -> Path:
    """The folder `name` (`rules` or `templates`): beside pyproject.toml in a checkout, else inside the package.

    An editable install is a checkout, and so never serves the stale copies of an old wheel.
    """
    package = Path(__file__).resolve().parent
    beside = package.parent / name
    if (package.parent / "pyproject.toml").is_file() and beside.is_dir():
        return beside
    return package / name
