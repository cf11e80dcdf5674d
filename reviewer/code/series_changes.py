"""What the patches of a series do to their files, over all of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from reviewer.code.change import Change, changes_of
from reviewer.model import Patch, Series

if TYPE_CHECKING:
    from reviewer.code.cache import Trees
    from reviewer.code.symbols import Symbols
    from reviewer.code.versions import FileCode


class SeriesChanges:
    """The changes of each patch of `series`, with the whole code as far as it is known."""

    def __init__(
        self,
        series: Series,
        codes: Sequence[Sequence[FileCode | None]] = (),
        *,
        focused: bool = True,
        trees: Trees | None = None,
    ) -> None:
        """Nothing is parsed yet. `codes` are the files of each patch, in the order of both; see `changes_of`."""
        self.series = series
        self._codes: Mapping[int, Sequence[FileCode | None]] = {
            id(patch): known for patch, known in zip(series.patches, codes, strict=False)
        }
        self._of_mail: dict[int, tuple[Change, ...]] = {}
        self._focused = focused
        self._trees = trees

    def of(self, patch: Patch, *, all_functions: bool = False) -> tuple[Change, ...]:
        """What `patch`, one of the series, does to each of its files.

        Where nothing but the mail is known it is always the same, so that all who ask share its trees. Whole files are
        made anew, since they are large: whoever asks gives their trees up. With `all_functions` those that the patch
        does not touch are parsed, too, where the file is known.
        """
        known = self._codes.get(id(patch), ())
        if not any(known):
            if id(patch) not in self._of_mail:
                self._of_mail[id(patch)] = changes_of(patch, self.series)
            return self._of_mail[id(patch)]
        focused = self._focused and not all_functions
        return changes_of(patch, self.series, known, focused=focused, trees=self._trees)

    @cached_property
    def symbols(self) -> Symbols:
        """Where the series adds, changes, uses and removes functions, macros, structs and enumerators."""
        from reviewer.code.symbols import symbols_of

        return symbols_of(self)
