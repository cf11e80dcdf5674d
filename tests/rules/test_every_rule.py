"""What holds for every rule that ships: its examples, what it imports, its page."""

from __future__ import annotations

import ast
import sys
from pathlib import Path

import pytest

from reviewer.examples import failures
from reviewer.folders import shipped
from reviewer.registry import load_rules
from reviewer.rule import Rule
from reviewer.rulebook import rule_book

RULES = load_rules([shipped("rules")], installed=False)
MODULES = sorted(shipped("rules").rglob("*.py"))


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)
def test_examples_as_written_renamed_and_reordered(rule: Rule):
    assert [f"{one.example} {one.variant}: {one.reason}" for one in failures(rule)] == []


@pytest.mark.parametrize("module", MODULES, ids=lambda path: path.stem)
def test_plugins_import_only_the_rule_interface_and_the_kit(module: Path):
    for node in ast.walk(ast.parse(module.read_bytes())):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and not node.level:
            names = [node.module or ""]
        else:
            continue
        for name in names:
            allowed = name in {"reviewer.rule", "reviewer.kit"} or name.startswith("reviewer.kit.")
            assert allowed or name.split(".")[0] in sys.stdlib_module_names, name


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)
def test_docstrings_give_reason_silence_and_sources(rule: Rule):
    text = (rule.__doc__ or "").lower()
    for word in ("silent", "source"):
        assert word in text, word


def test_the_rule_book_names_every_rule():
    book = rule_book(RULES)
    for rule in RULES:
        assert f"### {rule.name}\n" in book
        assert rule.title in book
