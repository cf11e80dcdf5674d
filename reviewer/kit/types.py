"""C types: how wide and of what sign, and with what type a name is declared.

Widths are those of a 64-bit kernel. Declarations are looked for in what the unit shows, nowhere else: a type that is
not visible is None, and a rule that needs it stays silent.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from functools import lru_cache

from msgspec import Struct

from reviewer.code.scope import declaration, declared
from reviewer.rule import Node, Unit

_WIDTHS: Mapping[str, tuple[int, bool]] = {
    **dict.fromkeys(("char", "s8", "__s8", "int8_t", "signed char"), (8, True)),
    **dict.fromkeys(("u8", "__u8", "uint8_t", "unsigned char", "bool"), (8, False)),
    **dict.fromkeys(("short", "s16", "__s16", "int16_t", "short int"), (16, True)),
    **dict.fromkeys(("u16", "__u16", "uint16_t", "unsigned short", "unsigned short int"), (16, False)),
    **dict.fromkeys(("int", "signed", "signed int", "s32", "__s32", "int32_t"), (32, True)),
    **dict.fromkeys(("unsigned", "unsigned int", "uint", "u32", "__u32", "uint32_t"), (32, False)),
    **dict.fromkeys(("long", "long int", "long long", "s64", "__s64", "int64_t", "ssize_t", "loff_t"), (64, True)),
    **dict.fromkeys(("off_t", "intptr_t", "ptrdiff_t", "ktime_t", "signed long", "long long int"), (64, True)),
    **dict.fromkeys(("unsigned long", "unsigned long int", "unsigned long long", "size_t", "uintptr_t"), (64, False)),
    **dict.fromkeys(("u64", "__u64", "uint64_t", "dma_addr_t", "phys_addr_t", "resource_size_t"), (64, False)),
    **dict.fromkeys(("pgoff_t", "sector_t", "__aligned_u64", "aligned_u64", "ulong"), (64, False)),
}
_QUALIFIERS = frozenset({"const", "volatile", "static", "extern", "register", "restrict", "inline"})


class CType(Struct, frozen=True, kw_only=True):
    """An arithmetic type: its width in bits and whether it has a sign."""

    bits: int
    signed: bool


def ctype(text: str | None) -> CType | None:
    """The arithmetic type that `text` names; None for pointers, structs and typedefs that are not known."""
    words = [word for word in (text or "").split() if word not in _QUALIFIERS]
    found = _WIDTHS.get(" ".join(words))
    return None if found is None else CType(bits=found[0], signed=found[1])


def declared_type(unit: Unit, name: str, at: Node) -> str | None:
    """The type of the variable or parameter `name` as used at `at`, with its stars; None when it is not visible."""
    found = declared(unit, name, at)
    return None if found is None or found.array else found.text


def member_type(unit: Unit, name: str) -> str | None:
    """The type of the struct members called `name` in the hunks of this file, when there is one type only."""
    types = {found for each in (unit, *unit.peers) if each.mentions(name) for found in _members(each).get(name, ())}
    return types.pop() if len(types) == 1 else None


def returned_type(function: Node) -> str:
    """The type that a function definition returns, with its stars."""
    given, declarator = function.child("type"), function.child("declarator")
    stars = " *" if declarator is not None and declarator.kind == "pointer_declarator" else ""
    return "" if given is None else " ".join(given.text.split()) + stars


@lru_cache(maxsize=16)
def _members(unit: Unit) -> Mapping[str, frozenset[str]]:
    found: defaultdict[str, set[str]] = defaultdict(set)
    for node in unit.find("field_declaration"):
        for name in node.walk():
            known = declaration(node, name.text) if name.kind == "field_identifier" else None
            if known is not None:
                found[name.text].add(f"{known.text} []" if known.array else known.text)
    return {name: frozenset(types) for name, types in found.items()}
