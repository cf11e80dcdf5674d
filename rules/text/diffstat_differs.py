"""DM006: the diffstat, the shortlog or the list of patches does not fit the patches."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from reviewer.rule import (
    Cover,
    DiffStat,
    Example,
    Find,
    Hit,
    Lack,
    Location,
    Patch,
    PatchExample,
    Result,
    Series,
    SeriesChanges,
    SeriesRule,
    line_text,
    message,
    series,
)

from ._shortlog import listed_patches, shortlog_patches
from ._statistics import Counted, Difference, counted, file_differences, unlisted

_MOST_PLACES = 50

Finds = Iterator[tuple[Cover | Patch, Result]]


class DiffstatDiffers(SeriesRule):
    """Counts the lines of each diff and compares them with the diffstat above it, file by file and in total.

    In a cover letter: the files of its diffstat with those of the patches, the numbers of each file that one patch
    alone touches, what is added less what is removed over all, the patches of the shortlog, and the numbers of a list
    under "Patches:". One remark for a mail, at the first line that is wrong.

    Silent on a patch whose diff is damaged (then says so), on binary files, and on what a cover letter's diffstat
    cannot tell: the lines of files that several patches touch, and renames made of several patches. A cover letter is
    only compared when all its patches are there and read, and none was added or sent again later. Shortened names
    (`.../frob.c`) stand for any file that ends so.

    Sources: RULES.md DM006; git-format-patch(1), --stat and --cover-letter.
    """

    id = "DM006"
    name = "diffstat-differs"
    title = "The diffstat or the counts of a mail do not fit its patches"
    why = (
        "Diffstat and diff are made in one go. When they differ, the patch was edited by hand or the cover letter is "
        "from another version, and what is reviewed is not what the author tested."
    )
    level = "error"
    confidence = "medium"
    category = "series-process"
    needs = ("series",)

    def check(self, series: Series, changes: SeriesChanges) -> Finds:
        """Yield a hit for each mail whose numbers are wrong."""
        damaged = _damaged(series)
        for patch in series.patches:
            stat = patch.text.diffstat
            if stat is None:
                continue
            if patch.mail.message_id in damaged:
                yield patch, Lack("hunk")
                continue
            files = [counted(file) for file in patch.files]
            found = [*file_differences(stat, files, "diff"), *_in_patch(stat, files)]
            if found:
                yield patch, _hit(patch, found, "one of them is from another version of the patch")
        if series.cover:
            yield from _in_cover(series, series.cover, damaged)

    @staticmethod
    def examples() -> Sequence[Example]:
        """Numbers of another version; the true ones; names shortened, renamed, or ends of each other."""
        files = (("net/core/frob.c", "int frob_a;\n", "int frob_b;\nint frob_c;\n"),)
        more = (
            ("include/net/frob.h", "int frob_a;\n", "int frob_b;\n"),
            ("tools/include/net/frob.h", "int frob_a;\n", "int frob_b;\nint frob_c;\n"),
        )
        return [
            series(
                "bad",
                [
                    PatchExample(
                        files=files,
                        diffstat=" net/core/frob.c | 5 +++--\n 1 file changed, 3 insertions(+), 2 deletions(-)\n",
                    )
                ],
                finds=[Find(line=" net/core/frob.c | 5")],
            ),
            series(
                "bad",
                [PatchExample(files=files), PatchExample(files=more, subject="frob: change more")],
                cover="""
Frob changes.

A Uthor (2):
  frob: change something
  frob: change more

 include/net/frob.h       | 2 +-
 net/core/frob.c          | 9 ++++++++-
 tools/include/net/frob.h | 3 ++-
 3 files changed, 11 insertions(+), 3 deletions(-)
""",
                finds=[Find(line=" net/core/frob.c  ", patch=0)],
            ),
            message("good", "Frob needs this.\n"),
            series(
                "look-alike",
                [
                    PatchExample(
                        files=more,
                        diffstat=(
                            " include/net/frob.h     | 2 +-\n .../include/net/frob.h | 3 ++-\n"
                            " 2 files changed, 3 insertions(+), 2 deletions(-)\n"
                        ),
                    )
                ],
                note="one path is the end of the other",
            ),
        ]


def _damaged(series: Series) -> frozenset[str]:
    """The patches whose diffs could not be read whole."""
    told = {patch for notice in series.notices if notice.code != "odd-path" for patch in notice.patches}
    counts = {patch.mail.message_id for patch in series.patches if not _is_whole(patch)}
    return frozenset(told | counts)


def _is_whole(patch: Patch) -> bool:
    for hunk in (hunk for file in patch.files for hunk in file.hunks):
        marks = Counter(line.mark for line in hunk.lines)
        if (marks[" "] + marks["-"], marks[" "] + marks["+"]) != (hunk.old_count, hunk.new_count):
            return False
    return bool(patch.files)


def _in_patch(stat: DiffStat, files: Sequence[Counted]) -> Iterator[Difference]:
    """What the summary of a patch's diffstat says of all files together."""
    last = _summary_line(stat)
    missing = unlisted(stat, files)
    if missing:
        yield Difference(body_line=last, told=f"the diff changes {_named(missing)}, which the diffstat does not list")
    if stat.files != len(files):
        yield Difference(body_line=last, told=f"the diffstat counts {stat.files} files, the diff has {len(files)}")
    if all(file.added is not None for file in files):
        added, removed = sum(file.added or 0 for file in files), sum(file.removed or 0 for file in files)
        if (stat.insertions, stat.deletions) != (added, removed):
            told = (
                f"the diffstat sums up to {stat.insertions} insertions and {stat.deletions} deletions, the diff has "
                f"{added} and {removed}"
            )
            yield Difference(body_line=last, told=told)


def _in_cover(series: Series, cover: Cover, damaged: frozenset[str]) -> Finds:
    stat = cover.text.diffstat
    whole = not damaged and _is_complete(series, cover)
    lines = (*cover.text.message, *cover.text.notes)
    found: list[Difference] = []
    if stat and whole:
        found += _against_patches(series, stat)
    total = cover.mail.subject.total
    found += shortlog_patches(lines, [patch.mail.subject.title for patch in series.patches], total)
    found += listed_patches(lines, total)
    if found:
        yield cover, _hit(cover, found, "it is from other patches than these")
    elif stat and not whole:
        yield cover, Lack("hunk" if damaged else "series")


def _is_complete(series: Series, cover: Cover) -> bool:
    """Whether all patches are there that the cover letter was written for, none added or sent again later.

    Some authors give the cover letter alone a version.
    """
    own = cover.mail.subject
    subjects = [patch.mail.subject for patch in series.patches]
    versions = {one.version for one in subjects}
    return (
        [one.number for one in subjects] == [*range(1, (own.total or 0) + 1)]
        and all(one.total == own.total for one in subjects)
        and versions in ({own.version}, {1})
    )


def _against_patches(series: Series, stat: DiffStat) -> Iterator[Difference]:
    """What a cover letter's diffstat says of the files and of the sum of all patches."""
    touched = [file for patch in series.patches for file in patch.files]
    names = Counter(name for file in touched for name in {file.path, file.old_path})
    alone = {file.path: counted(file) for file in touched if names[file.path] == names[file.old_path] == 1}
    moved = any(file.status in ("renamed", "copied", "deleted") for file in touched)
    files = [alone.get(name) or Counted(path=name, added=None, removed=None) for name in names]
    differences = list(file_differences(stat, files, "series"))
    yield from (one for one in differences if not moved or "=>" not in _printed(stat, one.body_line))
    missing = unlisted(stat, alone.values()) if not moved else []
    if missing:
        told = f"the patches change {_named(missing)}, which the diffstat does not list"
        yield Difference(body_line=_summary_line(stat), told=told)
    known = [counted(file) for file in touched]
    if any(file.added is None for file in known):
        return
    grown = sum(file.added or 0 for file in known) - sum(file.removed or 0 for file in known)
    if stat.insertions - stat.deletions != grown:
        told = (
            f"the diffstat sums up to {stat.insertions} insertions and {stat.deletions} deletions, or "
            f"{stat.insertions - stat.deletions:+d} lines, the patches together to {grown:+d}"
        )
        yield Difference(body_line=_summary_line(stat), told=told)


def _printed(stat: DiffStat, body_line: int) -> str:
    return next((line.path for line in stat.lines if line.body_line == body_line), "")


def _summary_line(stat: DiffStat) -> int:
    return stat.lines[-1].body_line + 1 if stat.lines else stat.body_line


def _named(paths: Sequence[str]) -> str:
    more = f" and {len(paths) - 1} more" if len(paths) > 1 else ""
    return paths[0] + more


def _hit(mail: Cover | Patch, found: Sequence[Difference], consequence: str) -> Hit:
    places = sorted({one.body_line for one in found})
    told = found[0].told
    others = len(places) - 1
    more = f", and {others} more line{'s' * (others > 1)} differ{'s' * (others == 1)}" if others else ""
    return Hit(
        _location(mail, found[0].body_line),
        f"{told[0].upper()}{told[1:]}{more}; {consequence}.",
        related=tuple(_location(mail, line) for line in places[:_MOST_PLACES] if line != found[0].body_line),
    )


def _location(mail: Cover | Patch, body_line: int) -> Location:
    text = line_text(mail.text, body_line)
    return Location(kind="message", part=mail.text.part, body_line=body_line, text=text)
