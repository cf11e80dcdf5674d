"""Bytes to text under whatever charset a mail claims."""

from __future__ import annotations

from encodings.aliases import aliases

_KNOWN = frozenset(aliases) | frozenset(aliases.values()) | {"koi8_u", "koi8_t", "utf_8_sig", "cp1006", "cp874"}
_SLOW = frozenset({"punycode", "idna", "unicode_escape", "raw_unicode_escape", "unicodeescape", "rawunicodeescape"})
_PLAIN = frozenset({"", "us_ascii", "ascii", "utf_8", "utf8", "7bit", "8bit", "646"})


def decode(raw: bytes, charset: str | None) -> tuple[str, str]:
    """The text of `raw`, and what was lost on the way (empty when nothing was).

    An unknown or wrong charset falls back to UTF-8, then to Latin-1; mail without a charset, or said to be ASCII, is
    read as UTF-8 without a word. The text holds no lone surrogates.
    """
    name = (charset or "").strip().lower().replace("-", "_").replace(" ", "_")
    if name in _PLAIN:
        try:
            return raw.decode("utf-8"), ""
        except UnicodeDecodeError:
            return raw.decode("latin-1"), "not UTF-8, read as Latin-1"
    problem = f"charset {_shown(name)} unknown"
    if name in _KNOWN and name not in _SLOW:
        try:
            text = raw.decode(name)
            return text.encode("utf-8", "replace").decode("utf-8"), ""
        except (UnicodeDecodeError, LookupError, ValueError):
            problem = f"not valid {_shown(name)}"
    try:
        return raw.decode("utf-8"), f"{problem}, read as UTF-8"
    except UnicodeDecodeError:
        return raw.decode("latin-1"), f"{problem}, read as Latin-1"


def _shown(name: str) -> str:
    clean = "".join(char if char.isascii() and char.isprintable() else "?" for char in name[:40])
    return clean.replace("_", "-")
