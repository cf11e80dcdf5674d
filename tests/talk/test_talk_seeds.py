"""What became of what people said of the seed threads: five versions of one series, read together."""

from __future__ import annotations

from pathlib import Path

import pytest

from reviewer.mail.parse import parse_mail
from reviewer.model import Comment, Mail
from reviewer.series.assemble import assemble
from reviewer.series.opening import open_series
from reviewer.sources import RawMail, read_sources
from reviewer.talk.discussion import talk_of

V4 = "20260701-tcpdm-large-niovs-v4"
FIRST = "aiLrsLM8N0VzrNMe@devvm7509.cco0.facebook.com"
SECOND = "aislm0fS2MSDMzKf@devvm7509.cco0.facebook.com"
FOURTH = "15e72c82-ca99-481b-bd53-744fabd503b0@redhat.com"


@pytest.fixture(scope="module")
def talk(corpus: Path) -> dict[str, Comment]:
    """All comments of the five versions by their ids."""
    mails: list[Mail] = []
    for raw in read_sources([str(path) for path in sorted((corpus / "seed").glob("rx-buf-size-*.mbox"))]):
        assert isinstance(raw, RawMail)
        mail = parse_mail(raw.data, raw.source, len(mails), lambda data=raw.data: data)  # type: ignore[misc]
        assert isinstance(mail, Mail)
        mails.append(mail)
    (lineage,) = assemble(mails).lineages
    talk = talk_of(tuple(open_series(outline) for outline in lineage.outlines))
    return {comment.id: comment for said in talk.values() for comment in said}


def evidence(comment: Comment) -> list[tuple[str, str]]:
    """The version (or mail) and the words of each piece of evidence."""
    return [(one.message_id, one.why) for one in comment.evidence]


def test_every_remark_has_a_place_and_a_fate(talk):
    remarks = [comment for comment in talk.values() if comment.kind != "answer"]
    assert len(remarks) == 27
    assert [comment.id for comment in remarks if not comment.evidence] == [
        "CAHS8izOmA_U=Q6WOO5mcoi2vBps_JFEtAQa3gXk=JcL3rqE1BA@mail.gmail.com#1"
    ]
    states = [comment.state for comment in remarks]
    assert {state: states.count(state) for state in states} == {"changed": 20, "resolved": 3, "answered": 3, "open": 1}


def test_the_errno_question_is_answered_and_the_old_errno_is_back(talk):
    comment = talk[f"{FIRST}#261"]
    assert (comment.kind, comment.location.function) == ("question", "mp_dmabuf_devmem_init")
    assert comment.state == "changed"
    assert comment.evidence[0].message_id == "20260611-tcpdm-large-niovs-v2-1-ee2bf15e7523@meta.com"
    assert comment.evidence[0].why == "v2 has `return -E2BIG;` in place of `return -EINVAL;`"
    assert any("Keep -E2BIG" in why for _, why in evidence(comment))
    assert any(who == "aiL3UM9aULBypEk7@devvm29614.prn0.facebook.com" for who, why in evidence(comment))


def test_the_values_in_extack_came_and_are_in_the_changelog(talk):
    comment = talk[f"{FIRST}#209"]
    assert (comment.kind, comment.state) == ("nit", "changed")
    assert any("v2 has `NL_SET_ERR_MSG_FMT`" in why for _, why in evidence(comment))
    assert any("changelog of v2 names the reviewer: `Use NL_SET_ERR_MSG_FMT" in why for _, why in evidence(comment))


def test_the_huge_pages_are_only_in_the_changelog(talk):
    comment = talk["aiLsegSEGviNluv1@devvm7509.cco0.facebook.com#16"]
    assert comment.state == "changed"
    assert "Set/restore nr_hugepages" in comment.evidence[0].why


def test_the_christmas_trees_are_put_right(talk):
    for one in ("aiskekd4GCLIhC0E@devvm7509.cco0.facebook.com#340", f"{SECOND}#132"):
        comment = talk[one]
        assert comment.state == "changed"
        assert comment.evidence[0].message_id.startswith("20260612-tcpdm-large-niovs-v3-")
        assert any("christmas tree declarations" in why for _, why in evidence(comment))


def test_the_other_remarks_on_the_second_version(talk):
    for one, words in (("81", "getpagesize"), ("146", "val"), ("165", "rx_buf_size")):
        comment = talk[f"{SECOND}#{one}"]
        assert comment.state == "changed"
        assert words in comment.evidence[0].why
        assert any("the author answers" in why for _, why in evidence(comment))


def test_the_patch_that_was_dropped_takes_its_remarks_along(talk):
    remarks = [
        one for one in talk.values() if "-v" in one.patch and one.patch.split("-")[5] == "2" and one.kind != "answer"
    ]
    remarks = [one for one in remarks if not one.patch.startswith(V4)]
    assert len(remarks) == 9
    for comment in remarks:
        assert comment.state == "changed"
        assert any("the patch is not in v4" in why for _, why in evidence(comment))
        assert any("drop the udmabuf patch because" in why for _, why in evidence(comment))


def test_the_acknowledgement_in_prose_lapses(talk):
    comment = talk["86e401f4-911f-4515-adf0-3bedba2b3f7a@amd.com#13"]
    assert (comment.kind, comment.state) == ("approval", "changed")
    assert comment.answers == ("20260615145757.0b2ddcf3@kernel.org#9",)
    assert comment.evidence[0].why == "the patch is not in v4, and what was said of it lapses"


def test_the_type_change_is_reverted(talk):
    for one in ("CAHS8izNdJ1LTOr_pLjXef6Yv-=JOFPe1GcZtcbStD93Tkpy1XQ@mail.gmail.com#124", f"{FOURTH}#42"):
        comment = talk[one]
        assert (comment.state, comment.location.file) == ("changed", "net/core/devmem.c")
        assert comment.evidence[0].why == "v5 has `ssize_t index;` in place of `size_t index;`"


def test_the_separator_line_is_gone(talk):
    comment = talk[f"{FOURTH}#17"]
    assert (comment.state, comment.location.kind, comment.location.text) == ("changed", "message", "------------")
    assert comment.evidence[0].message_id == "20260708-tcpdm-large-niovs-v5-1-34bf6fac941b@meta.com"


def test_what_was_answered_and_left_as_it_is(talk):
    reply = "CAHS8izOmA_U=Q6WOO5mcoi2vBps_JFEtAQa3gXk=JcL3rqE1BA@mail.gmail.com"
    for line in (14, 28, 59):
        comment = talk[f"{reply}#{line}"]
        assert comment.state == "answered"
        assert any("comes back unchanged in v5" in why for _, why in evidence(comment))
