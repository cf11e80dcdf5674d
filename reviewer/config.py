"""What is in force for a call: its options, else the environment, else the configuration file, else the default.

The file is that of `--config`, else of REVIEWER_CONFIG, else the user's own; never one of the current folder, which may
be the tree under review. Without a file this costs one look whether there is one.
"""

from __future__ import annotations

import argparse
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from reviewer.errors import UsageError

if TYPE_CHECKING:
    from reviewer.config_file import Config

VARIABLE = "REVIEWER_CONFIG"
TREE_VARIABLE = "REVIEWER_TREE"

OPTION = "option"
ENVIRONMENT = "environment"

DEFAULTS: dict[str, Any] = {
    "tree": None,
    "base": None,
    "apply_to": None,
    "cache": None,
    "min_confidence": "medium",
    "fail_on": "error",
    "format": "text",
    "rules": (),
    "select": (),
    "ignore": (),
    "templates": None,
    "baseline": None,
    "show_old": False,
    "branches": {},
    "maintainers": (),
    "server": "https://lore.kernel.org/all/",
    "fetch_cache": True,
    "timeout": 30,
    "offline": False,
}
"""The attributes of the options that a file can set, with what they are when nothing sets them."""

_FETCH = frozenset(("server", "fetch_cache", "timeout", "offline"))
_TAKES: dict[str, frozenset[str]] = {
    "review": frozenset(DEFAULTS),
    "config": frozenset(DEFAULTS),
    "compare": _FETCH
    | {"tree", "base", "cache", "branches", "rules", "select", "ignore", "min_confidence", "templates", "maintainers"}
    | {"baseline"},
    "series": _FETCH | {"templates", "maintainers"},
    "rules": frozenset(("rules",)),
    "explain": frozenset(("rules",)),
}
"""What each command takes from the file; one that is not here reads none."""


def settle(options: argparse.Namespace) -> None:
    """Give every attribute of DEFAULTS a value, and say in `options.origins` where those that are no defaults are from.

    An origin is OPTION, ENVIRONMENT or the path of the file. `options.configured` is the file that was read, or None.
    Raises UsageError, one line that names the file and the key, for a file that is missing or not right.
    """
    takes = _TAKES.get(options.command, frozenset())
    origins = {name: OPTION for name in DEFAULTS if getattr(options, name, None) is not None}
    if "tree" in takes and "tree" not in origins and (told := os.environ.get(TREE_VARIABLE)):
        options.tree = Path(told)
        origins["tree"] = ENVIRONMENT
    config = None if getattr(options, "markdown", False) else _configured(options, takes)
    if config is not None:
        for name, value in config.settings.items():
            if name in takes and name not in origins and not _stands_off(name, options, origins):
                setattr(options, name, value)
                origins[name] = config.path
    for name, default in DEFAULTS.items():
        if getattr(options, name, None) is None:
            setattr(options, name, default)
    if options.tree is None and options.command != "config":
        _forget_commits(options, origins)
    options.origins = origins
    options.configured = config


def named_in(options: argparse.Namespace, name: str) -> str:
    """The file that set an attribute of the options, as an ending of a complaint; empty when no file did."""
    origin: str | None = options.origins.get(name)
    return "" if origin in (None, OPTION, ENVIRONMENT) else f" ({name} in {origin})"


def _stands_off(name: str, options: argparse.Namespace, origins: dict[str, str]) -> bool:
    """Whether `--no-cache` keeps the file from naming a cache."""
    return name == "cache" and origins.get("fetch_cache") == OPTION and options.fetch_cache is False


def _forget_commits(options: argparse.Namespace, origins: dict[str, str]) -> None:
    """Drop what a file says about commits of a tree when there is none: it is meant for the calls that have one."""
    for name in ("base", "apply_to"):
        if origins.get(name, OPTION) != OPTION:
            setattr(options, name, None)
            del origins[name]


def _configured(options: argparse.Namespace, takes: frozenset[str]) -> Config | None:
    path = config_path(getattr(options, "config", None)) if takes else None
    if path is None:
        return None
    from reviewer.config_file import read_config

    return read_config(path)


def config_path(given: Path | None) -> Path | None:
    """The file to read: `given`, else the environment's, else the user's own when it is there.

    None when there is none, and for the null device. Raises UsageError when a file that was named is not there.
    """
    told = os.environ.get(VARIABLE)
    path = given if given is not None else Path(told) if told else None
    if path is not None:
        if path == Path(os.devnull):
            return None
        if not os.path.lexists(path):
            how = "--config" if given is not None else VARIABLE
            raise UsageError(f"no configuration {path}, which {how} names; give a file, or {os.devnull} for none")
        return path
    own = own_path()
    return Path(own) if own is not None and os.path.lexists(own) else None


def own_path() -> str | None:
    """Where the user's own file lies (XDG base directory specification); None without a home."""
    folder = os.environ.get("XDG_CONFIG_HOME", "")
    if not os.path.isabs(folder):  # as the specification says: a relative one would be the current folder's
        folder = os.path.expanduser("~/.config")
    return os.path.join(folder, "reviewer", "reviewer.toml") if os.path.isabs(folder) else None
