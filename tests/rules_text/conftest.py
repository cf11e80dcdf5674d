"""What the tests of the text rules share: a rule by its id, and its findings on mails of one's own."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from io import BytesIO

import pytest

from reviewer.engine import review
from reviewer.folders import shipped
from reviewer.mail.parse import parse_mail
from reviewer.model import Mail, Report
from reviewer.registry import rules_in
from reviewer.rule import Rule
from reviewer.series.assemble import assemble
from reviewer.series.opening import open_series

Judge = Callable[..., Report]


@pytest.fixture(scope="session")
def text_rules() -> dict[str, Rule]:
    return {rule.id: rule for rule, _ in rules_in(shipped("rules") / "text")}


@pytest.fixture
def judge(text_rules: dict[str, Rule]) -> Judge:
    """The report of the rule `rule` on `mails`, raw."""

    def judge(rule: str, mails: Iterable[bytes]) -> Report:
        read: list[Mail] = []
        for position, data in enumerate(mails):
            mail = parse_mail(data, "test", position, BytesIO(data).getvalue)
            assert isinstance(mail, Mail)
            read.append(mail)
        assembly = assemble(read)
        opened = [open_series(outline) for lineage in assembly.lineages for outline in lineage.outlines]
        return review(assembly, opened, (text_rules[rule],), ())

    return judge
