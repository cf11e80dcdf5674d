"""What makes text from a mail inert in HTML, and shows what is hidden in it.

Attributes and elements alike: `<`, `>`, `&` and both quotes are always written as entities.
"""

from __future__ import annotations

import re
from html import escape

from reviewer.report.escape import HIDDEN, is_plain, visible, visible_code
from reviewer.report.layout import LEFT_OUT

LONGEST_LINE = 4000
"""Characters of one line that are shown."""
_INVISIBLE = re.compile(f"(?![\t\n])[{HIDDEN}]")
_QUOTED = re.compile(r"(?<!`)`([^`\n]+)`(?!`)")
_OPTION = re.compile(r"(?<![^\s(])--?[A-Za-z][\w-]{0,60}")


def html(text: str) -> str:
    r"""`text` as one line: what is hidden in it is written out, `\n` for a newline."""
    return escape(visible(text))


def html_code(text: str) -> str:
    """A line of code or of a mail: tabs stay, what is hidden is written out and marked as ours, the rest cut."""
    if len(text) > LONGEST_LINE:
        text = f"{text[:LONGEST_LINE]} {LEFT_OUT}"
    escaped = escape(text)
    return escaped if is_plain(text) else _INVISIBLE.sub(_marked, escaped.replace("\n", r"\n"))


def html_text(text: str) -> str:
    """Several lines of a mail, each as `html_code` gives it."""
    return "\n".join(map(html_code, text.split("\n")))


def html_prose(text: str) -> str:
    """As `html`, for a sentence of ours: what stands between two single backticks becomes code.

    Names of errors and options keep the dash that they begin with on their line.
    """
    parts = _QUOTED.split(text)
    return "".join(f"<code>{html(part)}</code>" if index % 2 else _words(part) for index, part in enumerate(parts))


def without_hidden(page: str) -> str:
    """A whole page, where what is hidden is written out even if a template let it through."""
    return page if _INVISIBLE.search(page) is None else _INVISIBLE.sub(lambda match: visible_code(match[0]), page)


def _words(text: str) -> str:
    return _OPTION.sub(r'<span class="option">\g<0></span>', html(text))


def _marked(match: re.Match[str]) -> str:
    return f'<b class="hid">{visible_code(match[0])}</b>'
