"""`reviewer config`: what is in force, and where each value comes from."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, cast

from reviewer.config import ENVIRONMENT, OPTION, TREE_VARIABLE, own_path
from reviewer.config_keys import KEYS, REPEATED
from reviewer.errors import UsageError
from reviewer.output import write_output
from reviewer.report.escape import visible

NOTHING_ACTS = "nothing acts on this section yet"


def run_config(options: argparse.Namespace) -> int:
    """Print the configuration in force; returns the exit code, 0."""
    if options.form == "json":
        write_output(json.dumps(_document(options), ensure_ascii=False, indent=2) + "\n", options.output)
    else:
        write_output("\n".join(_toml(options)) + "\n", options.output)
    return 0


def _document(options: argparse.Namespace) -> Mapping[str, Any]:
    """`file`, and `settings` by section and key: `value`, `origin`, and `line` for a value of the file."""
    settings: dict[str, Any] = {}
    for name, key in KEYS.items():
        if key.sets is not None:
            section, _, last = name.rpartition(".")
            origin, line = _origin(options, name, key.sets)
            value = _in_force(options, key.sets)
            entry = {"value": value, "origin": origin}
            settings.setdefault(section, {})[last] = entry if line is None else {**entry, "line": line}
    return {"file": _file(options), "settings": settings, "later": _plain(_later(options))}


def _in_force(options: argparse.Namespace, sets: str) -> Any:  # noqa: ANN401 - whatever JSON has
    """The value of an attribute; none for a format that nobody named, which depends on where the report goes."""
    named = sets != "format" or sets in options.origins
    return _plain(getattr(options, sets)) if named else None


def _file(options: argparse.Namespace) -> str | None:
    return None if options.configured is None else options.configured.path


def _origin(options: argparse.Namespace, name: str, sets: str) -> tuple[str, int | None]:
    """`option`, `environment`, `file` or `default`, and the line of the file when it is known."""
    origin: str = options.origins.get(sets, "default")
    if origin in (OPTION, ENVIRONMENT, "default"):
        return origin, None
    return "file", options.configured.lines.get(name)


def _later(options: argparse.Namespace) -> Mapping[str, Any]:
    """What the file sets that nothing acts on yet, by the full names of the keys."""
    if options.configured is None:
        return {}
    return {name: value for name, value in options.configured.values.items() if name not in KEYS or not KEYS[name].sets}


def _plain(value: object) -> Any:  # noqa: ANN401 - whatever JSON has
    """A value as JSON and TOML know it."""
    if isinstance(value, Path):
        return str(value.absolute())
    if isinstance(value, list | tuple):
        return [_plain(one) for one in cast("tuple[Any, ...]", value)]
    if isinstance(value, Mapping):
        return {name: _plain(one) for name, one in cast("Mapping[str, Any]", value).items()}
    return value


def _toml(options: argparse.Namespace) -> Iterator[str]:
    """The lines of a file that has the same in force; comments tell the origins."""
    path = _file(options)
    yield f"# file: {visible(path)}" if path else f"# no file; yours would be {visible(own_path() or 'in your home')}"
    section = ""
    for name, key in KEYS.items():
        if key.sets is None:
            continue
        home, _, last = name.rpartition(".")
        value: object = _in_force(options, key.sets)
        if isinstance(value, dict):
            home, last = name, ""
        if home != section:
            section = home
            yield from ("", f"[{section}]")
        comment = _comment(options, name, key.sets)
        if isinstance(value, dict):
            table = cast("dict[str, str]", value)
            yield f"# {comment}" if table else "# nothing is set"
            yield from (f"{_key(tag)} = {_value(branch)}" for tag, branch in table.items())
        else:
            yield f"# {last} is not set" if value is None else f"{last} = {_value(value)}  # {comment}"
    yield from _later_lines(_plain(_later(options)))


def _comment(options: argparse.Namespace, name: str, sets: str) -> str:
    origin, line = _origin(options, name, sets)
    if origin == ENVIRONMENT:
        return f"environment, {TREE_VARIABLE}"
    if origin != "file":
        return origin
    return visible(options.configured.path) + (f":{line}" if line else "")


def _later_lines(values: Mapping[str, Any]) -> Iterator[str]:
    section = ""
    for name, value in sorted(values.items(), key=lambda item: _order(item[0])):
        if name in REPEATED:
            for table in value:
                yield from ("", f"[[{name}]]  # {NOTHING_ACTS}")
                yield from (f"{key} = {_value(one)}" for key, one in table.items())
            continue
        home, _, last = name.rpartition(".")
        if home != section:
            section = home
            yield from ("", f"[{section}]  # {NOTHING_ACTS}")
        yield f"{last} = {_value(value)}"


def _order(name: str) -> int:
    """Where a key or section stands among KEYS."""
    return next(at for at, key in enumerate(KEYS) if key == name or key.startswith(f"{name}."))


def _value(value: object) -> str:
    """A value as TOML."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list):
        items = cast("list[object]", value)
        return f"[{', '.join(map(_value, items))}]"
    return _text(value) if isinstance(value, str) else repr(value)


def _key(tag: str) -> str:
    bare = tag.isascii() and tag.replace("-", "").replace("_", "").isalnum()
    return tag if bare else _text(tag)


def _text(text: str) -> str:
    """A basic string: its escapes are those of JSON, and DEL has one, too. Raises UsageError for what is no text."""
    try:
        text.encode()
    except UnicodeEncodeError:
        raise UsageError(f"{visible(text)} is not UTF-8, which a configuration has to be") from None
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
