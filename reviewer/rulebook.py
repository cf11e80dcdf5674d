"""`reviewer rules`, `reviewer explain` and `reviewer test`, and the rule book in docs/."""

from __future__ import annotations

import argparse
import inspect
import sys
from collections.abc import Iterator, Sequence

from reviewer.arguments import words
from reviewer.errors import UsageError
from reviewer.folders import shipped
from reviewer.registry import examples_of, load_rules, matching, rules_in, select_rules
from reviewer.rule import Example, Rule


def run_rules(options: argparse.Namespace) -> int:
    """Print the rules, one a line, or the rule book."""
    rules = load_rules([shipped("rules"), *options.rules], installed=not options.markdown)
    rules = select_rules(rules, words(options.select), words(options.ignore))
    print(rule_book(rules), end="") if options.markdown else print("\n".join(_row(rule) for rule in rules))
    return 0


def _row(rule: Rule) -> str:
    state = "" if rule.default else "  (only when selected)"
    return f"{rule.id}  {rule.level:7}  {rule.confidence:6}  {rule.name}: {rule.title}{state}"


def run_explain(options: argparse.Namespace) -> int:
    """Print what one rule is about, with its examples."""
    first, *more = matching(load_rules([shipped("rules"), *options.rules]), options.rule)
    if more:
        names = ", ".join(rule.id for rule in (first, *more))
        raise UsageError(f"{options.rule} names several rules: {names}; give one id")
    print(rule_page(first, heading="#"), end="")
    return 0


def run_test(options: argparse.Namespace) -> int:
    """Run the examples of a folder's rules; 1 when one fails."""
    from reviewer.examples import run_examples

    folder = options.folder or shipped("rules")
    rules = tuple(sorted((rule for rule, _ in rules_in(folder)), key=lambda rule: rule.id))
    if not rules:
        raise UsageError(f"no rules in {folder}; give a folder whose modules define rules")
    count, failed = run_examples(rules)
    for failure in failed:
        print(f"{failure.rule} example {failure.example} ({failure.variant}): {failure.reason}", file=sys.stderr)
    print(f"{len(rules)} rule{'s' * (len(rules) != 1)}, {count} examples, {len(failed)} failed")
    return int(bool(failed))


def rule_book(rules: Sequence[Rule]) -> str:
    """All rules as one Markdown page."""
    families: dict[str, list[Rule]] = {}
    for rule in rules:
        families.setdefault(type(rule).__module__.split(".")[1], []).append(rule)
    lines = [
        "# Rules",
        "",
        "Made from the rules themselves by `reviewer rules --markdown`; change the rule, not this page.",
        "",
        "| rule | name | level | confidence | needs | category |",
        "|---|---|---|---|---|---|",
        *(
            f"| {rule.id} | [{rule.name}](#{rule.name}) | {rule.level} | {rule.confidence} | {' or '.join(rule.needs)} "
            f"| {rule.category} |"
            for rule in rules
        ),
        "",
    ]
    for family in sorted(families):
        lines += [f"## {family}", ""]
        lines += [rule_page(rule, heading="###") for rule in families[family]]
    return "\n".join(lines).rstrip("\n") + "\n"


def rule_page(rule: Rule, *, heading: str) -> str:
    """One rule as Markdown: title, reason, when it is silent, examples with what it says of them."""
    paths = ", ".join(f"`{glob}`" for glob in rule.paths)
    lines = [
        f"{heading} {rule.name}",
        "",
        f"**{rule.id}**: {rule.title}",
        "",
        f"- level {rule.level}, confidence {rule.confidence}, category {rule.category}",
        f"- needs {' or '.join(rule.needs)}",
        f"- speaks about {'all files' if rule.paths == ('**',) else paths}",
        *([f"- speaks instead of {', '.join(rule.supersedes)} on the same line"] if rule.supersedes else []),
        *([] if rule.default else ["- only runs when selected"]),
        "",
        rule.why,
        "",
        inspect.cleandoc(rule.__doc__ or ""),
        "",
    ]
    for example in examples_of(rule):
        lines += [*_example(example)]
    return "\n".join(lines) + "\n"


def _example(example: Example) -> Iterator[str]:
    told = f": {example.note}" if example.note else ""
    yield f"*{example.kind}*{told}"
    yield ""
    for patch in example.patches:
        for path, before, after in patch.files:
            if before is not None and after is not None and len(example.patches) == 1 and before != "int frob_a;\n":
                yield from _fenced(f"{path}, before", before)
            if after is not None and after != "int frob_b;\n":
                yield from _fenced(path, after)
        if patch.message != "Frob needs this.\n":
            yield from _fenced(f"message of: {patch.subject}", patch.message)
    if example.cover is not None:
        yield from _fenced("cover letter", example.cover)


def _fenced(title: str, text: str) -> Iterator[str]:
    yield f"{title}:"
    yield ""
    yield from (f"    {line}".rstrip() for line in text.rstrip("\n").split("\n"))
    yield ""
