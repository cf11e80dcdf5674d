"""The normaliser: kernel C made readable for a C grammar, every byte where it was."""

from __future__ import annotations

from msgspec import Struct

from reviewer.code.annotations import without_annotations
from reviewer.code.declarations import with_declarations
from reviewer.code.lexical import brackets, lex
from reviewer.code.macros import with_loops, with_plain_expressions, with_type_arguments, with_typeof


class Normalised(Struct, frozen=True, kw_only=True):
    """A source, normalised: `text` to parse, `code` the same without comments, strings and preprocessor lines."""

    text: bytes
    code: bytes
    directives: tuple[tuple[int, int], ...]


def normalise(source: bytes) -> bytes:
    """Rewrite what a C grammar cannot read: iteration macros, types as arguments, annotations, declaring macros.

    The result has the length and the newlines of `source`; strings, character constants, comments and preprocessor
    lines are those of `source`. `source` may be a fragment. Linear in its length. (RULES.md 0.1)
    """
    return normalised(source).text


def normalised(source: bytes) -> Normalised:
    """As `normalise`, with what was found on the way."""
    lexed = lex(source)
    pairs = brackets(lexed.code).pairs
    code = without_annotations(lexed.code, pairs)
    code = with_typeof(code, pairs)
    code = with_declarations(code, pairs)
    code = with_type_arguments(code)
    code = with_plain_expressions(code)
    code = with_loops(code, pairs)
    return Normalised(text=lexed.restored(code), code=code, directives=lexed.directives)
