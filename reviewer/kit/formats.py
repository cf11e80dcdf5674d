"""printf formats as the kernel reads them: conversions, and how long they get.

Source: Documentation/core-api/printk-formats.rst. Lengths are characters of the expanded text without the closing NUL.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Literal

from msgspec import Struct

from reviewer.rule import Node

NETLINK_MAX_FMTMSG_LEN = 80
"""The buffer of a formatted extack message, its NUL included (include/linux/netlink.h)."""

Width = Literal["int", "long", "long long", "size"]

_CONVERSION = re.compile(
    r"%(?:%|(?P<flags>[-+ #0]*+)(?P<width>\*|[0-9]*+)(?:\.(?P<precision>\*|-?[0-9]*+))?+"
    r"(?P<length>hh?+|ll?+|[qjzt])?+(?P<letter>[diouxXcspn])(?P<extension>[A-Za-z0-9]*+))"
)
_ESCAPE = re.compile(r"\\(?:x[0-9A-Fa-f]++|[0-7]{1,3}|.)", re.DOTALL)
_WIDTHS: Mapping[str, Width] = {
    **dict.fromkeys(("", "h", "hh"), "int"),
    **dict.fromkeys(("ll", "q"), "long long"),
    "l": "long",
    "z": "size",
}
_USUAL_DIGITS: Mapping[Width, int] = {"int": 4, "long": 7, "long long": 10, "size": 7}
_POINTERS = (
    ("ad", 18),
    ("ap", 18),
    ("a", 18),
    ("M", 17),
    ("m", 12),
    ("I6", 20),
    ("i6", 20),
    ("I4", 11),
    ("i4", 11),
    ("IS", 20),
    ("U", 36),
    ("e", 7),
    ("s", 20),
    ("S", 20),
    ("d", 6),
    ("D", 6),
    ("O", 6),
)
"""Extensions of %p, longest first where one begins another, and how long their text is, or is as a rule."""
_PLAIN_POINTER = 16
_CLASSES: Mapping[str, Width | Literal["dma_addr_t", "phys_addr_t"]] = {
    **dict.fromkeys(("unsigned int", "int", "u32", "s32", "__u32", "__s32", "u16", "u8", "bool", "unsigned"), "int"),
    **dict.fromkeys(("unsigned long", "long", "pgoff_t"), "long"),
    **dict.fromkeys(("u64", "s64", "__u64", "__s64", "unsigned long long", "long long", "loff_t"), "long long"),
    **dict.fromkeys(("size_t", "ssize_t"), "size"),
    "dma_addr_t": "dma_addr_t",
    "phys_addr_t": "phys_addr_t",
}
_RIGHT: Mapping[str, str] = {
    "int": "%u",
    "long": "%lu",
    "long long": "%llu",
    "size": "%zu",
    "dma_addr_t": "%pad with its address",
    "phys_addr_t": "%pap with its address",
}
_SIGNED = frozenset({"int", "s32", "__s32", "long", "s64", "__s64", "long long", "loff_t", "ssize_t"})


class Conversion(Struct, frozen=True, kw_only=True):
    """One conversion. `text` as written; `width` of an integer argument, None for other letters and unknown lengths.

    `usual` is a careful guess of the length of what it prints: 4 digits for an int, 7 for long and size_t, 18 for the
    DMA address of a 64-bit machine. `arguments` counts what it takes, stars included.
    """

    text: str
    letter: str
    width: Width | None
    usual: int
    arguments: int


class Format(Struct, frozen=True, kw_only=True):
    """A format, taken apart: the number of its fixed characters, and its conversions in order."""

    fixed: int
    conversions: tuple[Conversion, ...]

    @property
    def usual(self) -> int:
        """The expanded length with usual values."""
        return self.fixed + sum(conversion.usual for conversion in self.conversions)


def literal(node: Node) -> str | None:
    """The text of a string, adjacent ones joined, escapes as written; None where macros are in it."""
    if node.kind == "concatenated_string":
        parts = [literal(child) for child in node.named_children if child.kind != "comment"]
        return None if None in parts else "".join(part for part in parts if part is not None)
    if node.kind != "string_literal" or not node.text.startswith('"'):
        return None
    return node.text[1:-1]


def parse_format(text: str) -> Format:
    """Take the format `text` (escapes as written) apart."""
    conversions = tuple(_conversions(text))
    fixed = _ESCAPE.sub("x", _CONVERSION.sub(lambda found: "x" if found[0] == "%%" else "", text))
    return Format(fixed=len(fixed), conversions=conversions)


def mismatch(conversion: Conversion, declared: str) -> str | None:
    """What prints a variable that is declared as `declared`, when `conversion` (of integers) does not; else None.

    None too for types whose width is not known here, and between signed and unsigned of one width.
    """
    kind = _CLASSES.get(" ".join(word for word in declared.split() if word not in ("const", "static", "volatile")))
    if conversion.width is None or kind is None or kind == conversion.width:
        return None
    wanted = _RIGHT[kind]
    letter = conversion.letter if conversion.letter in "xX" else "d" if declared in _SIGNED else "u"
    return wanted[:-1] + letter if wanted.endswith("u") else wanted


def _conversions(text: str) -> Iterator[Conversion]:
    for found in _CONVERSION.finditer(text):
        letter = found["letter"]
        if letter is None:
            continue
        extension = found["extension"] if letter == "p" else ""
        width = _WIDTHS.get(found["length"] or "") if letter in "dioux" or letter == "X" else None
        stars = [found["width"], found["precision"]].count("*")
        whole = found[0] if letter == "p" else found[0].removesuffix(found["extension"])
        least = (found["width"] or "")[:4].replace("*", "")
        usual = max(_usual(letter, width, extension), int(least or 0))
        yield Conversion(text=whole, letter=letter, width=width, usual=usual, arguments=1 + stars)


def _usual(letter: str, width: Width | None, extension: str) -> int:
    if letter == "p":
        return next((size for start, size in _POINTERS if extension.startswith(start)), _PLAIN_POINTER)
    if letter in "cn":
        return 1 if letter == "c" else 0
    if letter == "s" or width is None:
        return 5
    return _USUAL_DIGITS[width]
