"""What a rule of the family says of a function of our own."""

from __future__ import annotations

from reviewer.examples import run_example
from reviewer.folders import shipped
from reviewer.model import Finding
from reviewer.registry import rules_in
from reviewer.rule import PatchExample, code, series

RULES = {rule.id: rule for rule, _ in rules_in(shipped("rules") / "errno")}
PATH = "net/core/frob.c"


def found(
    rule: str, after: str, before: str | None = None, *, path: str = PATH, message: str = "Frob.\n", context: int = 3
) -> tuple[Finding, ...]:
    """The findings of `rule` on a patch of one file."""
    example = code("bad", path, after, before=before, message=message, context=context)
    report, _ = run_example(RULES[rule], example)
    assert report.complete
    return report.findings


def said(rule: str, after: str, before: str | None = None, **more) -> list[tuple[str, str, str]]:
    """(line, level, confidence) of each finding."""
    return [(one.location.text.strip(), one.level, one.confidence) for one in found(rule, after, before=before, **more)]


def lines(rule: str, after: str, before: str | None = None, **more) -> list[str]:
    return [line for line, _, _ in said(rule, after, before, **more)]


def lacking(rule: str, after: str, before: str) -> bool:
    """Whether the rule says that it needs more than the hunks of a change."""
    report, _ = run_example(RULES[rule], code("bad", PATH, after, before=before))
    return any(notice.code == "not-checked" for notice in report.notices)


def over_files(rule: str, *files: tuple[str, str]) -> list[tuple[str, str]]:
    """(path, line) of each finding on a patch that adds these files."""
    patch = PatchExample(files=tuple((path, None, text) for path, text in files))
    report, _ = run_example(RULES[rule], series("bad", (patch,)))
    assert report.complete
    return [(one.location.file or "", one.location.text.strip()) for one in report.findings]


def body(statements: str, head: str = "int frob_do(struct frob *fb)") -> str:
    return f"{head}\n{{\n{statements}}}\n"
