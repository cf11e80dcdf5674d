"""Rules are other people's code: what they declare and yield is taken only when it is of the kind that it should be.

What is wrong raises here, where the rule is run, and not later, where the report is made.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, redirect_stdout
from functools import cache
from pathlib import PurePath
from types import UnionType
from typing import Any, ClassVar, Literal, TextIO, Union, cast, get_args, get_origin, get_type_hints

from reviewer.model import Cover, Patch, Series
from reviewer.rule import Hit, Lack, Result, Rule

MOST = 100_000
"""Results that one rule may give for one subject."""
_SHOWN = 60
_LONGEST = 500
_LONGEST_MESSAGE = 10_000


def vetted(results: Iterable[object]) -> Iterator[Result]:
    """The results of a rule, one by one.

    Raises TypeError for what is neither a Hit nor a Lack or has a field of the wrong kind, and OverflowError when they
    are so many that there may be no end.
    """
    for number, result in enumerate(results):
        if number == MOST:
            raise OverflowError(f"yields more than {MOST} results")
        if not isinstance(result, Hit | Lack):
            raise TypeError(f"yields {_shown(result)}, neither a Hit nor a Lack")
        _vet(result)
        yield result


def _vet(result: Result) -> None:
    owner: Any = type(result)
    for name, kind in () if fits(result, owner) else _kinds(owner).items():
        if not fits(getattr(result, name), kind):
            raise TypeError(f"yields a {owner.__name__} whose {name} is {_shown(getattr(result, name))}")
    if isinstance(result, Hit) and not 0 < len(result.message.strip()) <= _LONGEST_MESSAGE:
        raise TypeError(f"yields a Hit whose message is {len(result.message)} characters long")


def vetted_pairs(results: Iterable[object], series: Series) -> Iterator[tuple[Cover | Patch, Result]]:
    """The results of a rule on a series, each with the cover letter or patch of it; raises as `vetted`."""
    for number, pair in enumerate(results):
        if number == MOST:
            raise OverflowError(f"yields more than {MOST} results")
        where, result = _halves(pair)
        if not (isinstance(where, Cover | Patch) and any(where is one for one in (series.cover, *series.patches))):
            raise TypeError(f"yields a result on {_shown(where)}, which is not in the series")
        yield from ((where, one) for one in vetted((result,)))


def _halves(pair: object) -> tuple[object, object]:
    given: Any = pair
    if not isinstance(pair, tuple) or len(given) != 2:
        raise TypeError(f"yields {_shown(given)}, not a cover letter or patch with a result")
    return given[0], given[1]


def ill_declared(rule: type[Rule]) -> Iterator[str]:
    """What `rule` declares that is of the wrong kind, such as a word where a tuple of words should be."""
    for name, kind in _kinds(Rule).items():
        if hasattr(rule, name) and not fits(getattr(rule, name), kind):
            yield f"{name} is {_shown(getattr(rule, name))}, {_unlike(kind)}"


def fits(value: object, kind: Any) -> bool:  # noqa: ANN401 - an annotation can be anything
    """Whether `value` is what the annotation `kind` says: classes, unions, Literals, tuples, structs inside out."""
    return _check(kind)(value)


_Check = Callable[[object], bool]


@cache
def _check(kind: Any) -> _Check:  # noqa: ANN401 - as above
    """What tells whether a value is a `kind`."""
    origin, given = get_origin(kind), get_args(kind)
    if origin in (Union, UnionType):
        any_of = tuple(map(_check, given))
        return lambda value: any(check(value) for check in any_of)
    if origin is Literal:
        words = frozenset(given)
        return lambda value: isinstance(value, str) and value in words
    if origin is tuple and given[1:] == (...,):
        each = _check(given[0])
        return lambda value: isinstance(value, tuple) and all(map(each, cast("tuple[object, ...]", value)))
    if origin is tuple:
        in_order = tuple(map(_check, given))
        return lambda value: isinstance(value, tuple) and _fit_in_order(cast("tuple[object, ...]", value), in_order)
    if hasattr(kind, "__struct_fields__"):
        fields = tuple((name, _check(one)) for name, one in _kinds(kind).items())
        return lambda value: isinstance(value, kind) and all(check(getattr(value, name)) for name, check in fields)
    return lambda value: origin is None and isinstance(value, kind)


def _fit_in_order(values: tuple[object, ...], checks: tuple[_Check, ...]) -> bool:
    return len(values) == len(checks) and all(check(value) for check, value in zip(checks, values, strict=True))


@cache
def _kinds(owner: Any) -> Mapping[str, Any]:  # noqa: ANN401 - a class; the cache's stubs want it hashable
    """The kinds of what a class declares, by name."""
    hints = get_type_hints(owner)
    return {name: get_args(kind)[0] if get_origin(kind) is ClassVar else kind for name, kind in hints.items()}


def _unlike(kind: Any) -> str:  # noqa: ANN401 - as above
    if kind in (str, bool):
        return "not a text" if kind is str else "neither True nor False"
    if get_origin(kind) is Literal:
        return f"none of {', '.join(map(str, get_args(kind)))}"
    if get_origin(kind) is tuple:
        return f"no tuple, or one with something that is {_unlike(get_args(kind)[0])}"
    return f"not {kind}"


def _shown(value: object) -> str:
    try:
        shown = repr(value)
    except Exception:  # also that is the rule's
        shown = f"a {type(value).__name__}"
    return shown if len(shown) <= _SHOWN else f"{shown[:_SHOWN]}..."


def told(error: BaseException) -> str:
    """An exception of a rule as one line."""
    try:
        said = " ".join(str(error).split())
    except Exception:  # also that is the rule's
        said = ""
    return f"{type(error).__name__}: {said[:_LONGEST] or 'no reason given'}"


def place_of(error: BaseException) -> str:
    """The file's name and the line, from 1, where an exception of a rule was raised; empty when Python cannot tell."""
    frame = error.__traceback__
    while frame is not None and frame.tb_next is not None:
        frame = frame.tb_next
    return f"{PurePath(frame.tb_frame.f_code.co_filename).name}:{frame.tb_lineno}" if frame else ""


def aside() -> AbstractContextManager[TextIO]:
    """While it is entered, what is printed goes to standard error: standard output is for the report."""
    return redirect_stdout(sys.stderr)


@contextmanager
def guarded(crashed: Callable[[BaseException], None]) -> Generator[None]:
    """Inside, rules run: what they raise goes to `crashed` (an attempt to end the process, too), then it goes on."""
    try:
        with aside():
            yield
    except KeyboardInterrupt:  # that is the user's
        raise
    except BaseException as error:
        crashed(error)
