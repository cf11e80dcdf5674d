"""Jinja2 behind one class: a template's name, a medium and values in, text out.

Whatever a template prints goes through the medium's `escape` unless one of the medium's filters made it, so a template
cannot forget to escape. What is built from such a result (joined, set, returned by a macro) is escaped once more: it
may look odd, and is never harmful. The macros of macros.j2, `say` in a template, give text that was not escaped, to be
printed or filtered.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from pathlib import Path
from traceback import walk_tb
from typing import Any

import jinja2
from msgspec import Struct

from reviewer.errors import UsageError
from reviewer.folders import shipped

Filter = Callable[..., str]

MACROS = "macros.j2"


class Medium(Struct, frozen=True, kw_only=True):
    """How text is made safe to print (one line in, one line out), and the filters whose results are safe already."""

    escape: Callable[[str], str]
    filters: Mapping[str, Filter]


def flat(value: object) -> str:
    """A value as one line, white space folded."""
    return " ".join(str(value).split())


class Template:
    """A template of a medium, ready to be filled; one in `folder` wins over the shipped one of the same name.

    Raises UsageError, naming file and line, for a template of the user's that cannot be read or does not run.
    """

    def __init__(self, name: str, folder: Path | None, medium: Medium) -> None:
        self._folder = folder
        with _blamed(folder):
            self._say = _environment(folder, None).get_template(MACROS).module
            self._template = _environment(folder, medium).get_template(name)

    def fill(self, **values: object) -> str:
        """The text for some values, by the names that the template knows them by."""
        with _blamed(self._folder):
            return self._template.render(say=self._say, **values)


@contextmanager
def _blamed(folder: Path | None) -> Generator[None]:
    """What goes wrong inside is the user's, when templates come from a folder of the user's."""
    try:
        yield
    except Exception as error:  # a template can raise anything
        if folder is None:
            raise
        if isinstance(error, jinja2.TemplateSyntaxError):
            place = f"{error.filename or error.name}, line {error.lineno}"
        else:
            place = _place(error, folder)
        raise UsageError(f"{place}: {flat(error) or type(error).__name__}") from error


class _Safe(str):
    """What a filter of the medium made."""

    __slots__ = ()


def _environment(folder: Path | None, medium: Medium | None) -> jinja2.Environment:
    """Jinja2 for a medium; for None, without any escaping. A template of a user's sees the report and nothing else."""
    kind = jinja2.Environment
    loaders: list[jinja2.BaseLoader] = [jinja2.FileSystemLoader(shipped("templates"))]
    if folder is not None:
        from jinja2.sandbox import ImmutableSandboxedEnvironment

        kind = ImmutableSandboxedEnvironment
        loaders.insert(0, jinja2.FileSystemLoader(folder))
    environment = kind(
        loader=jinja2.ChoiceLoader(loaders),
        undefined=jinja2.StrictUndefined,
        autoescape=False,
        finalize=_finalizer(medium.escape) if medium else None,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    if medium:
        environment.filters.update({name: _safe(filter_) for name, filter_ in medium.filters.items()})
    return environment


def _finalizer(escape: Callable[[str], str]) -> Callable[[Any], str]:
    def finalize(value: object) -> str:
        return value if isinstance(value, _Safe) else escape(flat(value))

    return finalize


def _safe(filter_: Filter) -> Callable[..., str]:
    def safe(*given: object, **named: object) -> str:
        return _Safe(filter_(*given, **named))

    return safe


def _place(error: Exception, folder: Path) -> str:
    """Where in the templates `error` was raised."""
    roots = (str(folder), str(shipped("templates")))
    frames = [(frame.f_code.co_filename, line) for frame, line in walk_tb(error.__traceback__)]
    places = [f"{file}, line {line}" for file, line in frames if file.startswith(roots)]
    return places[-1] if places else f"templates in {folder}"
