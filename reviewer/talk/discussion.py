"""The discussion of a series over all its versions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from reviewer.model import Address, Comment, Lineage, Mail, Notice, Series
from reviewer.series.people import People
from reviewer.talk.comments import remarks_of
from reviewer.talk.fate import Fates
from reviewer.talk.later import Later
from reviewer.talk.versions import Versions


def talk_of(versions: tuple[Series, ...]) -> Mapping[str, tuple[Comment, ...]]:
    """The comments on each version, by the id of its outline, and what became of them.

    `versions` are the opened versions of one lineage, the lowest first. The comments of a version are by date; those
    of bots are left out. Raises nothing for what stands in the mails.
    """
    mails = {mail.message_id: mail for series in versions for mail in _mails(series)}
    people = People([*(mail.author for mail in mails.values()), *_authors(versions)])
    remarks = [remarks_of(series, people) for series in versions]
    comments = Fates(remarks, Later(versions=Versions(series=versions)), people, mails).all()
    return {series.outline.id: said for series, said in zip(versions, comments, strict=True)}


def comments_of(
    lineages: Iterable[Lineage], opened: Iterable[Series]
) -> tuple[dict[str, tuple[Comment, ...]], tuple[Notice, ...]]:
    """The comments on the `opened` series by their ids, each lineage followed over those of its versions that are.

    A lineage whose discussion cannot be followed costs itself: a Notice `talk-failed` tells.
    """
    by_id = {series.outline.id: series for series in opened}
    comments: dict[str, tuple[Comment, ...]] = {}
    notices: list[Notice] = []
    for lineage in lineages:
        versions = tuple(by_id[outline.id] for outline in lineage.outlines if outline.id in by_id)
        try:
            comments.update(talk_of(versions))
        except Exception as error:
            text = f"{lineage.title}: the discussion cannot be followed ({type(error).__name__}: {error})"
            notices.append(Notice(code="talk-failed", message=" ".join(text.split())))
    return comments, tuple(notices)


def _mails(series: Series) -> Iterator[Mail]:
    outline = series.outline
    if outline.cover is not None:
        yield outline.cover
    yield from outline.patches
    yield from outline.replaced
    yield from outline.replies


def _authors(versions: tuple[Series, ...]) -> Iterator[Address]:
    for series in versions:
        yield series.outline.author
        yield from (patch.text.author for patch in series.patches if patch.text.author)
