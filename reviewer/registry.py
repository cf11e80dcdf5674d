"""Finds, loads and selects rule plugins.

A folder of rules is mounted as a package under a synthetic name made from its path, so that rules of a family share
tables by relative import and two folders never mix. Nothing lands in site-packages under the name `rules`.
"""

from __future__ import annotations

import hashlib
import importlib
import importlib.util
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

from reviewer.errors import RuleLoadError, UsageError
from reviewer.rule import ChangeRule, CodeRule, Example, MessageRule, Rule, SeriesRule
from reviewer.vetting import aside, fits, ill_declared, told

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

CATEGORIES = (
    "sg-alignment",
    "niov-shift/page-size",
    "errno-choice",
    "extack",
    "sg-page-access",
    "netmem-page-access",
    "refcount/leak-on-error",
    "locking",
    "uapi/yaml-sync",
    "overflow/integer-width",
    "build-config",
    "naming/style",
    "commit-message",
    "series-process",
    "selftest",
    "docs",
    "bench-claim",
    "other",
)
KINDS = (CodeRule, ChangeRule, MessageRule, SeriesRule)
ENTRY_POINTS = "reviewer.rules"


def load_rules(folders: Sequence[Path], *, installed: bool = True) -> tuple[Rule, ...]:
    """All rules of `folders` and, when `installed`, of the entry points, one instance each, sorted by id.

    Raises RuleLoadError naming the file of a plugin that cannot be imported, declares something wrong, or takes an id
    or name that another rule has.
    """
    found: dict[str, tuple[Rule, str]] = {}
    names: dict[str, str] = {}
    for rule, place in _all_rules(folders, installed=installed):
        if rule.id in found:
            raise RuleLoadError(f"{place}: rule {rule.id} is also in {found[rule.id][1]}; give one of them another id")
        if rule.name in names:
            raise RuleLoadError(f"{place}: the name {rule.name} is also in {names[rule.name]}; give one another name")
        found[rule.id] = (rule, place)
        names[rule.name] = place
    return tuple(found[key][0] for key in sorted(found))


def _all_rules(folders: Sequence[Path], *, installed: bool) -> Iterator[tuple[Rule, str]]:
    for folder in folders:
        found = list(rules_in(folder))
        if not found:
            raise RuleLoadError(f"no rules in {folder}; give a folder whose modules define rules")
        yield from found
    if installed and _offered():
        from importlib.metadata import entry_points

        for point in sorted(entry_points(group=ENTRY_POINTS), key=lambda point: (point.name, point.value)):
            yield from _entry_point(point)


def _offered() -> bool:
    """Whether an installed package may offer rules: to load what reads entry points costs a twentieth of a review."""
    for place in {Path(entry or ".") for entry in sys.path}:
        if place.is_file():  # packed, and not worth a second way to look
            return True
        for listed in (*place.glob("*.dist-info/entry_points.txt"), *place.glob("*.egg-info/entry_points.txt")):
            with suppress(OSError):
                if ENTRY_POINTS.encode() in listed.read_bytes():
                    return True
    return False


def rules_in(folder: Path) -> Iterator[tuple[Rule, str]]:
    """The rules of one folder with the file of each, in the order of their paths; raises as `load_rules`."""
    if not folder.is_dir():
        raise RuleLoadError(f"no such folder of rules: {folder}; give one whose modules define rules")
    package = mount(folder)
    for path in sorted(folder.rglob("*.py")):
        relative = path.relative_to(folder)
        if any(part.startswith(("_", ".")) for part in relative.parts):
            continue
        if not all(part.isidentifier() for part in relative.with_suffix("").parts):
            raise RuleLoadError(f"{path}: not a module's name; use letters, digits and underscores")
        name = ".".join((package, *relative.with_suffix("").parts))
        yield from _rules_of(_import(name, str(path)), str(path))


def mount(folder: Path) -> str:
    """Make `folder` importable under a name of its own, and return that name."""
    resolved = folder.resolve()
    name = "reviewer_rules_" + hashlib.sha256(str(resolved).encode("utf-8", "surrogateescape")).hexdigest()[:12]
    if name not in sys.modules:
        spec = ModuleSpec(name, None, is_package=True)
        spec.submodule_search_locations = [str(resolved)]
        sys.modules[name] = importlib.util.module_from_spec(spec)
    return name


def _import(name: str, place: str) -> ModuleType:
    try:
        with aside():
            return importlib.import_module(name)
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # a module may even try to end the process
        raise RuleLoadError(f"{place}: cannot be loaded: {told(error)}") from error


def _entry_point(point: EntryPoint) -> Iterator[tuple[Rule, str]]:
    place = f"entry point {point.name} ({point.value})"
    try:
        with aside():
            loaded = point.load()
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        raise RuleLoadError(f"{place}: cannot be loaded: {told(error)}") from error
    if isinstance(loaded, type):
        yield _instance(loaded, place), place
    elif isinstance(loaded, ModuleType):
        found = list(_rules_of(loaded, place))
        if not found:
            raise RuleLoadError(f"{place}: no rule is defined in this module; name one that does, or a class")
        yield from found
    else:
        raise RuleLoadError(f"{place}: is neither a module nor a rule")


def _rules_of(module: ModuleType, place: str) -> Iterator[tuple[Rule, str]]:
    for _, value in sorted(vars(module).items()):
        if isinstance(value, type) and issubclass(value, Rule) and value.__module__ == module.__name__:
            if not hasattr(value, "id"):  # a base of the family's own
                continue
            rule = _instance(value, place)
            expected = module.__name__.rpartition(".")[2].replace("_", "-")
            if rule.name != expected:
                raise RuleLoadError(f"{place}: rule {rule.id} is named {rule.name}, its module says {expected}")
            yield rule, place


def _instance(value: type, place: str) -> Rule:
    if not issubclass(value, KINDS):
        raise RuleLoadError(f"{place}: {value.__name__} is no CodeRule, ChangeRule, MessageRule or SeriesRule")
    wrong = next(_wrong(value), None)
    if wrong:
        raise RuleLoadError(f"{place}: {value.__name__}: {wrong}")
    try:
        with aside():
            return value()
    except Exception as error:
        raise RuleLoadError(f"{place}: {value.__name__} cannot be made: {told(error)}") from error


def examples_of(rule: Rule) -> tuple[Example, ...]:
    """The examples of `rule`; raises RuleLoadError when it does not give any."""
    try:
        with aside():
            examples = tuple(rule.examples())
    except Exception as error:
        raise RuleLoadError(f"{rule.id} {rule.name}: its examples cannot be read: {told(error)}") from error
    if not fits(examples, tuple[Example, ...]):
        raise RuleLoadError(f"{rule.id} {rule.name}: its examples are not all Examples")
    return examples


def _wrong(rule: type[Rule]) -> Iterator[str]:
    for attribute in ("id", "name", "title", "why", "level", "confidence", "category", "needs"):
        if not getattr(rule, attribute, None):
            yield f"declares no {attribute}"
            return
    if wrong := next(ill_declared(rule), None):
        yield wrong
        return
    if not re.fullmatch(r"[A-Z]{2,8}[0-9]{2,5}", rule.id):
        yield f"id {rule.id!r} is not of the form DM302"
    if not re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", rule.name):
        yield f"name {rule.name!r} is not of the form errno-silently-changed"
    if rule.category not in CATEGORIES:
        yield f"category {rule.category!r} is none of {', '.join(CATEGORIES)}"
    if not rule.__doc__ and sys.flags.optimize < 2:
        yield "has no docstring"


def select_rules(rules: tuple[Rule, ...], select: Iterable[str], ignore: Iterable[str]) -> tuple[Rule, ...]:
    """The rules to run: those that run by default, or those that `select` names, less those that `ignore` names.

    A word is an id, a name, a prefix of ids such as DM3, or a category. Raises UsageError for one that fits nothing.
    """
    wanted = {rule.id for rule in rules if rule.default}
    words = list(select)
    if words:
        wanted = {rule.id for word in words for rule in matching(rules, word)}
    unwanted = {rule.id for word in ignore for rule in matching(rules, word)}
    return tuple(rule for rule in rules if rule.id in wanted - unwanted)


def matching(rules: tuple[Rule, ...], word: str) -> tuple[Rule, ...]:
    """The rules that `word` names; raises UsageError, with the nearest word that would fit, when there is none."""
    folded = word.strip().lower()
    hits = tuple(
        rule
        for rule in rules
        if folded and (rule.id.lower().startswith(folded) or folded in (rule.name, rule.category))
    )
    if hits:
        return hits
    from difflib import get_close_matches

    known = sorted({text for rule in rules for text in (rule.id, rule.name, rule.category)})
    near = get_close_matches(word, known, 1, 0.7) or get_close_matches(word.upper(), known, 1, 0.7)
    hint = f"; did you mean {near[0]}?" if near else "; see `reviewer rules`"
    raise UsageError(f"unknown rule: {word}{hint}")
