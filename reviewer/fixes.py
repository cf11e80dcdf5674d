"""Which patch of a series mends what an earlier one brought in."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from reviewer.findings import RawFinding, evidence
from reviewer.model import FileDiff, Patch, Series

Gone = Mapping[tuple[str, str], Counter[str]]
"""By rule and patch: the evidence that was there before the patch and is not any more."""


def with_fixes(raw: Sequence[RawFinding], series: Series, gone: Gone) -> Iterator[tuple[RawFinding, str | None]]:
    """The findings with the Message-ID of the patch that mends each, None while none does.

    A finding is mended by the first later patch after which its rule does not find it any more, or that removes its
    line without bringing the same finding in again.
    """
    left = {key: Counter(counts) for key, counts in gone.items()}
    said = {(one.rule.id, one.patch, evidence(one.hit)) for one in raw}
    files = [{file.old_path: file for file in patch.files} for patch in series.patches]
    places = {patch.mail.message_id: at for at, patch in enumerate(series.patches)}
    for one in raw:
        start = places.get(one.patch)
        later = range(start + 1, len(series.patches)) if start is not None and one.introduced else range(0)
        yield one, _mended(one, [(series.patches[at], files[at]) for at in later], left, said)


def _mended(
    one: RawFinding,
    later: Sequence[tuple[Patch, Mapping[str, FileDiff]]],
    left: Mapping[tuple[str, str], Counter[str]],
    said: set[tuple[str, str, str]],
) -> str | None:
    token = evidence(one.hit)
    path: str | None = one.path
    line = one.hit.at.line if one.hit.at.side == "new" and one.hit.at.body_line is not None else None
    for patch, files in later:
        name = patch.mail.message_id
        counts = left.get((one.rule.id, name))
        if counts is not None and counts[token] > 0:
            counts[token] -= 1
            return name
        file = files.get(path or "")
        if file is None:
            continue
        path = file.path
        if line is not None:
            line = line_after(line, file)
            if line is None:
                return None if (one.rule.id, name, token) in said else name
    return None


def line_after(line: int, file: FileDiff) -> int | None:
    """The number that line `line` of the pre-image has in the post-image, None when it is not there."""
    if file.status == "deleted":
        return None
    shift = 0
    for hunk in file.hunks:
        if line < hunk.old_start:
            break
        for shown in hunk.lines:
            if shown.old == line:
                return shown.new
        shift = (hunk.new_start + hunk.new_count) - (hunk.old_start + hunk.old_count)
    return line + shift
