"""How rules speak: what a maintainer would not want to see in a mail."""

from __future__ import annotations

import re

import pytest

from reviewer.examples import run_example
from reviewer.folders import shipped
from reviewer.registry import load_rules
from reviewer.rule import Rule

RULES = load_rules([shipped("rules")], installed=False)
WORDS = re.compile(r"(?:a|an|the|this|that|these|those|here|it|one|loop|function|index|niovs?)\b(?![-_>.(\[])")
"""Plain words in front of a sentence; names from the code may be written small."""


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)
def test_what_a_rule_is_called(rule: Rule) -> None:
    assert not WORDS.match(rule.title), rule.title
    assert not rule.title.endswith(".")
    assert len(rule.title) <= 90
    assert rule.why.endswith(".")


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)
def test_what_a_rule_says(rule: Rule) -> None:
    said = {
        finding.message
        for example in rule.examples()
        if example.kind == "bad"
        for finding in run_example(rule, example)[0].findings
    }
    assert said
    for message in said:
        assert not WORDS.match(message), message
        assert message.endswith((".", "?")), message
        assert "  " not in message, message
        assert message.count("`") % 2 == 0, message
        assert len(message) <= 400, message
