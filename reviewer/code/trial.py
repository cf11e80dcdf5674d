"""Whether a series applies to a commit, tried in memory as `git am` would."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from reviewer.code.overlay import Overlay
from reviewer.code.versions import Start, Tree, Version
from reviewer.diff.apply import Applied, Refused, apply_file
from reviewer.diff.blob import is_named
from reviewer.model import FileDiff, Series, Trial
from reviewer.repository import Repository

FUZZ = 2


def tried(
    series: Series,
    repository: Repository | None,
    tree: Tree,
    starts: Sequence[Start],
    below: Sequence[tuple[FileDiff, ...]],
) -> Trial:
    """Whether `series` applies to the revision that the user asks about, else to the first of `starts`.

    `below` are the patches that the series needs; they go first where it starts from its own base. Not tried:
    `no-tree`, `no-base` (nothing says what to apply it to), `no-commit` (the tree has no such revision),
    `patch-missing`.
    """
    if repository is None:
        return Trial(state="not-tried", reason="no-tree")
    first: tuple[tuple[FileDiff, ...], ...] = ()
    if tree.apply_to is not None:
        commit = repository.resolve(tree.apply_to)
        revision = tree.apply_to
    else:
        start = next(iter(starts), None)
        commit = start.commit if start else None
        revision = start.revision if start else (series.base_commit or "")
        if start is not None and start.rung == "base":
            first = tuple(below)
    trial = Trial(state="not-tried", revision=revision, commit=commit)
    if commit is None:
        return replace(trial, reason="no-commit" if revision else "no-base")
    if series.outline.missing or not series.patches:
        return replace(trial, reason="patch-missing")
    return _Trial(Overlay(repository), commit, trial).run(series, first)


class _Trial:
    def __init__(self, overlay: Overlay, commit: str, trial: Trial) -> None:
        self._overlay = overlay
        self._commit = commit
        self._trial = trial

    def run(self, series: Series, below: Sequence[tuple[FileDiff, ...]]) -> Trial:
        for files in below:
            self._apply(files)
        offset = fuzz = 0
        for patch in series.patches:
            for file, result in self._apply(patch.files):
                if isinstance(result, Refused):
                    return replace(
                        self._trial,
                        state="does-not-apply",
                        patch=patch.mail.message_id,
                        number=patch.number,
                        file=file.path,
                        hunk=result.hunk,
                        reason=result.reason,
                    )
                offset = max(offset, result.offset, key=abs)
                fuzz = max(fuzz, result.fuzz)
        return replace(self._trial, state="applies", offset=offset, fuzz=fuzz)

    def _apply(self, files: tuple[FileDiff, ...]) -> list[tuple[FileDiff, Applied | Refused]]:
        results = [(file, self._file(file)) for file in files]
        self._overlay.put([(file, _version(file, result)) for file, result in results])
        return results

    def _file(self, file: FileDiff) -> Applied | Refused:
        before = self._before(file.old_path)
        if file.binary:
            return self._binary(file, before)
        if file.status in ("renamed", "copied") and self._before(file.path) is not None:
            return Refused(reason="exists")
        result = apply_file(file, before, exact=False)
        return apply_file(file, before, exact=False, fuzz=FUZZ) if isinstance(result, Refused) else result

    def _before(self, path: str) -> bytes | None:
        if self._overlay.is_changed(path):
            known = self._overlay.known(path)
            return known.data if known is not None else None
        return self._overlay.at(path, self._commit)

    def _binary(self, file: FileDiff, before: bytes | None) -> Applied | Refused:
        """A binary file is only replaced as a whole, so what it replaces must be there."""
        if file.status == "added":
            return Refused(reason="exists") if before is not None else Applied(data=None)
        if self._overlay.is_changed(file.old_path) and self._overlay.known(file.old_path) is None:
            return Applied(data=None)
        if before is None or file.old_blob is None:
            return Refused(reason="absent")
        return Applied(data=None) if is_named(before, file.old_blob) else Refused(reason="context")


def _version(file: FileDiff, result: Applied | Refused) -> Version | None:
    known = isinstance(result, Applied) and (not file.binary or file.status == "deleted")
    return Version(data=result.data, rung="base") if known and isinstance(result, Applied) else None
