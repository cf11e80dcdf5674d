from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reviewer.report.escape import _QUOTED, markdown, markdown_prose


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain_text", r"plain\_text"),
        ("with `a_b` and `&c`.", "with `a_b` and `&c`."),
        ("`a` is longer", "`a` is longer"),
        ("one ` alone, a_b", r"one \` alone, a\_b"),
        ("`a` and ` alone", r"`a` and \` alone"),
        ("``a`` stays", r"\`\`a\`\` stays"),
        ("`a\x1b`", r"`a\x1b`"),
        ("<b> `<b>`", "&lt;b&gt; `<b>`"),
    ],
)
def test_what_a_sentence_quotes_becomes_a_code_span(text: str, shown: str) -> None:
    assert markdown_prose(text) == shown


@given(st.text(alphabet="ab_*<& \\"))
def test_without_quotes_it_is_as_any_text(text: str) -> None:
    assert markdown_prose(text) == markdown(text)


@given(st.text(alphabet="ab` \\_<"))
def test_what_is_in_no_span_is_escaped(text: str) -> None:
    shown = markdown_prose(text)
    outside = "".join(part for index, part in enumerate(_QUOTED.split(text)) if not index % 2)
    assert shown.count("<") == text.count("<") - outside.count("<")
