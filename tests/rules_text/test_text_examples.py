"""The examples of the text rules are their first tests."""

from __future__ import annotations

import pytest

from reviewer.examples import failures
from reviewer.rule import Rule


@pytest.mark.parametrize("rule", ["DM001", "DM002", "DM006", "DM008"])
def test_examples(text_rules: dict[str, Rule], rule: str) -> None:
    assert [failure.reason for failure in failures(text_rules[rule])] == []
