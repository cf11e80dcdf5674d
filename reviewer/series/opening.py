"""A series with everything read: messages, diffs, and the tags given on the list."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from msgspec import Struct, field
from msgspec.structs import replace

from reviewer.diff.parse import parse_diff
from reviewer.mail.body import part_lines, text_parts
from reviewer.mail.message import patch_texts
from reviewer.mail.replytags import reply_tags
from reviewer.model import Cover, FileDiff, Mail, MessageText, Notice, Outline, Patch, Series, TextPart
from reviewer.series.drafts import numbers_of
from reviewer.series.tags import COVER, Credit, Targets, credits_of, own_tags, tags_by_number


class _Reading(Struct):
    """What was read so far, and what could not be."""

    notices: list[Notice] = field(default_factory=list[Notice])

    def parts(self, mail: Mail) -> tuple[TextPart, ...] | None:
        try:
            return text_parts(mail)
        except Exception as error:
            self.note("bad-mail", mail, f"cannot be read ({type(error).__name__}: {error})")
            return None

    def texts(self, mail: Mail) -> tuple[MessageText, ...]:
        parts = self.parts(mail)
        if parts is None:
            return ()
        texts = patch_texts(mail, parts)
        for text in texts:
            damaged = parts[text.part].damaged if text.part < len(parts) else ""
            if damaged:
                self.note("damaged-text", mail, damaged)
        return texts

    def files(self, mail: Mail, text: MessageText) -> tuple[FileDiff, ...]:
        if not text.diff:
            self.note("no-diff", mail, "holds no diff")
            return ()
        files, notices = parse_diff(text.diff)
        for notice in notices:
            self.note(notice.code, mail, notice.message)
        return files

    def note(self, code: str, mail: Mail, message: str) -> None:
        text = f"{mail.subject.text or mail.message_id}: {message}"
        self.notices.append(Notice(code=code, message=text, patches=(mail.message_id,), source=mail.source))


def open_series(outline: Outline) -> Series:
    """Read the bodies of an outline's mails.

    Patches are in the order of their numbers; those that cannot be read are left out, with a Notice `bad-mail`. A
    single mail that holds several patches gives them all, numbered from 1. Other notices: `damaged-text`, `no-diff`,
    and those of the diff layer. Raises nothing for what stands in the mails.
    """
    reading = _Reading()
    cover = _cover(outline, reading)
    numbers = numbers_of(outline)
    patches = [
        patch for mail in outline.patches for patch in _patches(mail, numbers[mail.message_id], outline, reading)
    ]
    tags = tags_by_number(_given(outline, reading), sorted({patch.number for patch in patches}))
    texts = [*([cover.text] if cover else []), *(patch.text for patch in patches)]
    return Series(
        outline=outline,
        cover=None if cover is None else Cover(mail=cover.mail, text=cover.text, tags=tags[COVER]),
        patches=tuple(replace(patch, tags=patch.tags + tags[patch.number]) for patch in patches),
        base_commit=next((text.base_commit for text in texts if text.base_commit), None),
        change_id=next((text.change_id for text in texts if text.change_id), None) or _change_id(outline),
        notices=tuple(reading.notices),
    )


def _cover(outline: Outline, reading: _Reading) -> Cover | None:
    if outline.cover is None:
        return None
    texts = reading.texts(outline.cover)
    return Cover(mail=outline.cover, text=texts[0], tags=()) if texts else None


def _patches(mail: Mail, first: int, outline: Outline, reading: _Reading) -> Iterator[Patch]:
    texts = _distinct(reading.texts(mail))
    several = len(texts) > 1 and outline.total is None
    if len(texts) > 1 and not several:
        reading.note("several-patches", mail, f"holds {len(texts)} patches; the first is read")
    for number, text in enumerate(texts if several else texts[:1], first):
        yield Patch(
            mail=mail,
            number=number,
            total=len(texts) if several else outline.total,
            text=text,
            files=reading.files(mail, text),
            tags=own_tags(text),
        )


def _distinct(texts: Iterable[MessageText]) -> list[MessageText]:
    """Without diffs that are attached once more."""
    seen: set[tuple[str, ...]] = set()
    kept: list[MessageText] = []
    for text in texts:
        diff = tuple(line.text for line in text.diff)
        if diff not in seen:
            seen.add(diff)
            kept.append(text)
    return kept


def _given(outline: Outline, reading: _Reading) -> Iterator[Credit]:
    targets = Targets(outline)
    for reply in outline.replies:
        parts = reading.parts(reply)
        if parts:
            text = "\n".join(line.text for line in part_lines(parts[0]))
            yield from credits_of(reply, reply_tags(text), targets)


def _change_id(outline: Outline) -> str | None:
    mails = [*([outline.cover] if outline.cover else []), *outline.patches]
    return next((mail.change_id for mail in mails if mail.change_id), None)
