"""DM020: a patch uses what only a later patch of the series adds."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from reviewer.rule import (
    Cover,
    DiffLine,
    Example,
    Find,
    Hit,
    Patch,
    PatchExample,
    Result,
    Series,
    SeriesChanges,
    SeriesRule,
    series,
)

_CONSTANT = re.compile(r"[A-Z][A-Z0-9_]{3,}")
_WORD = re.compile(r"[A-Za-z_]\w{3,}")
_USED = re.compile(r"[A-Za-z_]\w{3,}(?=\()|\b[A-Z][A-Z0-9_]{3,}\b")
_DEFINED = re.compile(r"#\s*define\s+(\w+)|[A-Za-z_][^=;(]*\b(\w+)\([^;]*$|\s+([A-Z]\w+)\s*(?:=[^=]*)?,$")
"""A line that may define a macro, a function or an enumerator, and its name."""
_NAMES = frozenset({"function", "macro", "enumerator"})


class UsedBeforeAdded(SeriesRule):
    """Each patch of a series has to build with those before it only.

    What it does: reports the first use, by a patch, of a function, macro or enumerator that a later patch of the
    series adds. Calls, and names written in capitals, count as uses.

    Why it matters: a bisection that stops between the two patches does not build.

    When it stays silent: the name was there before (some patch removes or changes it, or declares it), the use stands
    in a file that the series adds, which often enters the Makefile last, or in another C file than the definition
    without a prototype in the series: that may be another function of that name.

    Sources: Documentation/process/submitting-patches.rst, "Separate your changes"; RULES.md DM020. That what is enabled
    comes after what prepares it is DM203's.
    """

    id = "DM020"
    name = "used-before-added"
    title = "A patch uses what a later patch adds"
    why = "Every patch has to build with the ones before it, or a bisection ends in the middle of the series."
    level = "error"
    confidence = "medium"
    category = "series-process"
    needs = ("series",)

    def check(self, series: Series, changes: SeriesChanges) -> Iterator[tuple[Cover | Patch, Result]]:
        """Yield a hit for the first early use of each name."""
        if len(series.patches) < 2 or not (early := _early_words(series)):
            return
        new_files = {file.path for patch in series.patches for file in patch.files if file.status == "added"}
        order = {id(patch): place for place, patch in enumerate(series.patches)}
        for name in sorted(early):
            events = changes.symbols.of(name)
            defined = [one for one in events if one.act not in ("used", "unused")]
            if not defined or defined[0].act != "added" or not {one.kind for one in defined} & _NAMES:
                continue
            first = defined[0]
            files = {one.at.file for one in defined}
            for use in events:
                if use.act != "used" or order[id(use.patch)] >= order[id(first.patch)] or use.at.file in new_files:
                    continue
                declared = use.at.file in files or any(file is not None and file.endswith(".h") for file in files)
                if declared and _is_use(name, use.at.text):
                    told = f"{name}()" if first.kind in ("function", "prototype") else name
                    yield (
                        use.patch,
                        Hit(
                            at=use.at,
                            message=f"`{told}` is used here but added in patch {first.patch.number} only: the series "
                            "does not build at this patch. Move it here, or before.",
                        ),
                    )
                    break

    @staticmethod
    def examples() -> Sequence[Example]:
        """Bad: a call, a constant. Good: the other order. Look-alikes: it was there; a new file."""
        call = PatchExample(files=(("net/core/frob.c", _CALLER, _CALLS),))
        helper = PatchExample(files=(("net/core/frob.h", _HEADER, _HEADER + _HELPER),))
        constant = PatchExample(files=(("net/core/frob.c", _CALLER, _CALLER.replace("0", "FROB_MOST")),))
        defines = PatchExample(files=(("net/core/frob.h", _HEADER, _HEADER + "#define FROB_MOST 8\n"),))
        gone = PatchExample(files=(("net/core/frob.h", _HEADER + _HELPER, _HEADER),))
        new = PatchExample(files=(("net/core/frob.c", None, _CALLS),))
        return (
            series("bad", [call, helper], finds=[Find(line="return frob_reset(fb);")]),
            series("bad", [constant, defines], finds=[Find(line="return FROB_MOST;")]),
            series("good", [helper, call]),
            series("look-alike", [gone, call, helper], note="it was there before"),
            series("look-alike", [new, helper], note="the file may enter the Makefile later"),
            series("look-alike", [constant, helper], note="nobody adds it"),
        )


def _early_words(series: Series) -> set[str]:
    """The names that a patch seems to add, as none of its removed lines has them, and that added lines before used."""
    seen: set[str] = set()
    early: set[str] = set()
    for patch in series.patches:
        gone: set[str] = set()
        own: set[str] = set()
        names: set[str] = set()
        for line in _code_lines(patch):
            if line.mark == "-":
                gone.update(_WORD.findall(line.text))
            elif line.mark == "+":
                own.update(_USED.findall(line.text))
                names.update(match[match.lastindex or 0] for match in (_DEFINED.match(line.text),) if match)
        early |= (names & seen) - gone
        seen |= own
    return early


def _code_lines(patch: Patch) -> Iterator[DiffLine]:
    for file in patch.files:
        if file.path.endswith((".c", ".h")):
            for hunk in file.hunks:
                yield from hunk.lines


def _is_use(name: str, text: str) -> bool:
    return _CONSTANT.fullmatch(name) is not None or re.search(rf"\b{re.escape(name)}\(", text) is not None


_HEADER = "#define FROB_H 1\n"
_CALLER = "int frob_open(struct frob *fb)\n{\n\treturn 0;\n}\n"
_CALLS = _CALLER.replace("0", "frob_reset(fb)")
_HELPER = "static inline int frob_reset(struct frob *fb)\n{\n\treturn fb->slots;\n}\n"
