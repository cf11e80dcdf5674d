"""The context ladder: the whole code of each file that a series touches, as far up as it can be reached.

Pre-images come by the id that the patch names, from earlier patches of the series or the tree; else from the commit
that the series is laid on, by context (DESIGN.md). Nothing is checked out, and no work tree is touched.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from msgspec import Struct, field

from reviewer.code.cache import Trees
from reviewer.code.overlay import Overlay
from reviewer.code.starts import prerequisites, starts
from reviewer.code.trial import tried
from reviewer.code.versions import FileCode, Seen, SeriesCode, Start, Tree, Version
from reviewer.diff.apply import Applied, Refused, apply_file, is_right
from reviewer.model import FileContext, FileDiff, Rung, Series
from reviewer.repository import Repository

FUZZ = 2
"""Lines of context that may differ at each end of a hunk, as for patch(1)."""
_HELD = 256 << 20
"""Bytes of code that are held for one series."""

Files = tuple[FileDiff, ...]
Find = Callable[[Sequence[str]], Sequence[Files]]
"""Patch-ids to what these patches do, for all that are known."""


class Ladder(Struct, frozen=True, kw_only=True):
    """Where code comes from. `repository` is None without a tree; `find` gives prerequisite patches by their ids.

    `trees` keep the syntax of what was seen, for other runs.
    """

    repository: Repository | None = None
    tree: Tree = field(default_factory=lambda: Tree(branches={}))
    find: Find = lambda _: ()
    trees: Trees | None = None

    def climb(self, series: Series) -> SeriesCode:
        """The code behind `series`, and whether it applies. Raises InputError when git cannot read the repository."""
        climb = _Climb(self, series)
        return SeriesCode(
            patches=tuple(climb.seen(patch.files, patch.number) for patch in series.patches),
            trial=tried(series, self.repository, self.tree, climb.starts, climb.below),
        )


class _Climb:
    def __init__(self, ladder: Ladder, series: Series) -> None:
        repository = ladder.repository
        self.starts: tuple[Start, ...] = tuple(starts(series, repository, ladder.tree)) if repository else ()
        self.below = tuple(ladder.find(wanted)) if repository and (wanted := prerequisites(series)) else ()
        self._alone = repository is None
        self._missing = series.outline.missing
        self._overlay = Overlay(repository)
        self._held = 0
        for files in self.below:
            self.seen(files, 0)

    def seen(self, files: Files, number: int) -> Seen:
        """What is seen of the patch with this number, which is the next one."""
        complete = not any(missing < number for missing in self._missing)
        found = [self._file(file, complete=complete) for file in files]
        self._overlay.put(
            [
                (file, None if code is None else Version(data=code.after, rung=code.rung))
                for file, (_, code) in zip(files, found, strict=True)
            ]
        )
        return Seen(contexts=tuple(context for context, _ in found), codes=tuple(code for _, code in found))

    def _file(self, file: FileDiff, *, complete: bool) -> tuple[FileContext, FileCode | None]:
        before, result, rung = self._reached(file, complete=complete)
        if isinstance(result, str):
            return FileContext(path=file.path, rung="hunk", problem=result), None
        self._held += len(before or b"") + len(result.data or b"")
        if self._held > _HELD:
            return FileContext(path=file.path, rung="hunk", problem="too-large"), None
        differs = file.new_blob is not None and not is_right(file, result.data)
        context = FileContext(
            path=file.path,
            rung=rung,
            problem="hash-differs" if differs else "",
            offset=result.offset,
            fuzz=result.fuzz,
        )
        shifts = tuple(hunk.offset for hunk in result.hunks)
        return context, FileCode(rung=rung, before=before, after=result.data, shifts=shifts)

    def _reached(self, file: FileDiff, *, complete: bool) -> tuple[bytes | None, Applied | str, Rung]:
        """The pre-image, what applying the patch gives (or the code of a problem), and the rung."""
        if file.binary:
            return None, "binary", "hunk"
        if file.status == "added":
            result = apply_file(file, None, exact=True)
            return None, result if isinstance(result, Applied) else result.reason, "new"
        exact = _best(file, self._overlay.exact(file))
        if exact is not None:
            return *exact, "blob"
        if self._alone or not complete:
            return None, "" if self._alone else "patch-missing", "hunk"
        return self._near(file)

    def _near(self, file: FileDiff) -> tuple[bytes | None, Applied | str, Rung]:
        problem = self._overlay.problem
        tries = tuple(self._overlay.near(file.old_path, self.starts))
        for fuzz in (0, FUZZ):
            for version in tries:
                result = apply_file(file, version.data, exact=False, fuzz=fuzz)
                if isinstance(result, Applied):
                    return version.data, result, version.rung
                problem = result.reason
        return None, problem, "hunk"


def _best(file: FileDiff, candidates: Iterator[bytes]) -> tuple[bytes, Applied] | None:
    """The first pre-image that gives the right post-image, else the first on which every hunk stands at its lines."""
    fitting: tuple[bytes, Applied] | None = None
    for before in candidates:
        result = apply_file(file, before, exact=True)
        exact = isinstance(result, Applied)
        if isinstance(result, Refused):
            result = apply_file(file, before, exact=False)
        if isinstance(result, Refused):
            continue
        if is_right(file, result.data):
            return before, result
        if exact and fitting is None:
            fitting = before, result
    return fitting
