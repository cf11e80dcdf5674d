"""Every rule's examples once more, with the files behind them: the same findings, or a line that excuses the code."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest
from driver import Tree, opened_in
from gitmaking import commit, git, init

from reviewer.code.ladder import Ladder
from reviewer.engine import review
from reviewer.examples import mails_of
from reviewer.folders import shipped
from reviewer.mail.parse import parse_mail
from reviewer.model import Mail, Report
from reviewer.registry import load_rules
from reviewer.repository import Repository
from reviewer.rule import ChangeRule, CodeRule, Example, Rule
from reviewer.series.assemble import assemble
from reviewer.series.opening import open_series

RULES = [rule for rule in load_rules([shipped("rules")]) if isinstance(rule, CodeRule | ChangeRule)]


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Repository:
    """All files of all examples as they are before the patches, as blobs."""
    folder = init(tmp_path_factory.mktemp("examples") / "tree")
    texts = {
        before
        for rule in RULES
        for example in rule.examples()
        for patch in example.patches
        for _, before, _ in patch.files
        if before is not None
    }
    stream = b"".join(b"blob\ndata %d\n%s\n" % (len(text.encode()), text.encode()) for text in sorted(texts))
    git(folder, "fast-import", "--quiet", data=stream)
    with Repository.open(folder) as opened:
        yield opened


def report(rule: Rule, example: Example, ladder: Ladder | None) -> Report:
    mails = [parse_mail(data, "x", at, partial(bytes, data)) for at, data in enumerate(mails_of(example))]
    assembly = assemble(mail for mail in mails if isinstance(mail, Mail))
    opened = [open_series(outline) for lineage in assembly.lineages for outline in lineage.outlines]
    return review(assembly, opened, (rule,), (), ladder=ladder)


def told(given: Report) -> set[tuple[str, int | None, str]]:
    return {(one.patch, one.location.body_line, one.level) for one in given.findings}


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)
def test_examples_hold_with_the_code_behind_them(rule: Rule, repository: Repository) -> None:
    ladder = Ladder(repository=repository)
    for number, example in enumerate(rule.examples(), 1):
        alone, whole = report(rule, example, None), report(rule, example, ladder)
        assert {one.rung for contexts in whole.contexts.values() for one in contexts} <= {"blob", "new"}
        assert not [notice for notice in whole.notices if notice.code == "rule-crashed"]
        excused = [notice for notice in whole.notices if notice.code == "excused"]
        lost = told(alone) - told(whole)
        assert len(lost) <= len(excused), (number, lost, told(whole))
        if not example.lacks:
            assert told(whole) == told(alone) or excused, (number, told(whole) - told(alone))


DEVMEM = "net/core/devmem.c"
CONVERTED = (
    "dma_addr_t frob_address(struct net_iov *niov)\n{\n\treturn (dma_addr_t)net_iov_idx(niov) << PAGE_SHIFT;\n}\n"
)
BETWEEN = "".join(f"\nint frob_{number};\n" for number in range(20))
UNTOUCHED = "\nlong frob_lookup(struct frob *fb, size_t virt)\n{\n\treturn fb->map[virt >> PAGE_SHIFT];\n}\n"


def test_a_rule_on_the_series_sees_the_functions_that_no_hunk_shows(tmp_path: Path) -> None:
    whole = CONVERTED + BETWEEN + UNTOUCHED
    clone = Tree(folder=init(tmp_path / "tree"), base=commit(tmp_path / "tree", "devmem", {DEVMEM: whole}))
    clone.edit("devmem: count niovs", DEVMEM, ("PAGE_SHIFT", "frob->niov_shift"))
    assembly, series = opened_in(clone.mails())
    rules = tuple(rule for rule in load_rules([shipped("rules")]) if rule.id == "DM203")
    alone = review(assembly, series, rules, ())
    assert not alone.findings
    assert [notice.needs for notice in alone.notices if notice.code == "not-checked"] == ["file"]
    with Repository.open(clone.folder) as opened:
        (finding,) = review(assembly, series, rules, (), ladder=Ladder(repository=opened)).findings
    assert "still in pages in frob_lookup() (`virt >> PAGE_SHIFT`)" in finding.message
