"""Jinja2 behind one class: a template's name, a medium and values in, text out.

Whatever a template prints goes through the medium's `escape` unless one of the medium's filters made it, so a template
cannot forget to escape. What is built from such a result (joined, set, returned by a macro) is escaped once more: it
may look odd, and is never harmful. In HTML alone, Jinja2's own escaping keeps track of what is safe. The macros of
macros.j2, `say` in a template, give text that was not escaped, to be printed or filtered.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from functools import partial
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
    """How text is made safe to print (one line in, one line out), and the filters whose results are safe already.

    `markup` is for HTML: there, what the macros of a template return is safe, too.
    """

    escape: Callable[[str], str]
    filters: Mapping[str, Filter]
    markup: bool = False


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
            say = _environment(folder, None).get_template(MACROS).module
            self._say = _Unescaped(say) if medium.markup else say
            self._template = _environment(folder, medium).get_template(name)

    def fill(self, **values: object) -> str:
        """The text for some values, by the names that the template knows them by."""
        with _blamed(self._folder):
            return self._template.render(say=self._say, **values)


def as_it_stands(name: str, folder: Path | None) -> str:
    """The text of a template that is no template but put into one, such as a style sheet."""
    with _blamed(folder):
        environment = _environment(folder, None)
        assert environment.loader is not None
        return environment.loader.get_source(environment, name)[0]


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


class _Unescaped:
    """Macros of a module that does not escape; from a template that does, they would claim that their text is safe."""

    def __init__(self, module: object) -> None:
        self._module = module

    def __getattr__(self, name: str) -> Callable[..., str]:
        return partial(getattr(self._module, name))


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
        autoescape=bool(medium and medium.markup),
        finalize=_finalizer(medium) if medium else None,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    if medium:
        kind_of = _safe_type(medium)
        environment.filters.update({name: _safe(filter_, kind_of) for name, filter_ in medium.filters.items()})
        environment.filters.pop("safe")  # a template cannot forget to escape, nor refuse to
    return environment


def _safe_type(medium: Medium) -> type[str]:
    """What tells Jinja2 and us that text is safe already."""
    if not medium.markup:
        return _Safe
    from markupsafe import Markup

    return Markup


def _finalizer(medium: Medium) -> Callable[[Any], str]:
    safe_type = _safe_type(medium)

    def finalize(value: object) -> str:
        return value if isinstance(value, safe_type) else safe_type(medium.escape(flat(value)))

    return finalize


def _safe(filter_: Filter, safe_type: type[str]) -> Callable[..., str]:
    def safe(*given: object, **named: object) -> str:
        return safe_type(filter_(*given, **named))

    return safe


def _place(error: Exception, folder: Path) -> str:
    """Where in the templates `error` was raised."""
    roots = (str(folder), str(shipped("templates")))
    frames = [(frame.f_code.co_filename, line) for frame, line in walk_tb(error.__traceback__)]
    places = [f"{file}, line {line}" for file, line in frames if file.startswith(roots)]
    return places[-1] if places else f"templates in {folder}"
