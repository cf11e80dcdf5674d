"""HTML to plain text, for mail that has nothing else: tags are dropped, nothing is rendered or fetched."""

from __future__ import annotations

import re

_TAG = re.compile(r"<(/?)([A-Za-z][A-Za-z0-9]{0,20})[^<>]*>")
_BREAKS = frozenset(
    ("br", "p", "div", "tr", "table", "ul", "ol", "li", "h1", "h2", "h3", "h4", "h5", "h6", "pre", "blockquote", "hr",
     "body", "head", "title")
)  # fmt: skip
_HIDDEN = ("script", "style", "head")
_SPACE = re.compile(r"[ \t\r\n\f]+")


def html_to_text(html: str) -> str:
    """The text of an HTML part, a line a block, quoted blocks behind `> `; linear in the size of `html`."""
    import html as entities  # for the few mails that hold HTML alone

    out = _Lines()
    at, hidden = 0, ""
    source = _without_comments(html)
    for match in _TAG.finditer(source):
        closing, name = bool(match[1]), match[2].lower()
        if not hidden:
            out.text(entities.unescape(source[at : match.start()]))
            out.tag(name, closing)
        at = match.end()
        if name in _HIDDEN and not hidden and not closing:
            hidden = name
        elif closing and name == hidden:
            hidden = ""
    if not hidden:
        out.text(entities.unescape(source[at:]))
    return out.joined()


def _without_comments(html: str) -> str:
    kept: list[str] = []
    at = 0
    while (start := html.find("<!--", at)) >= 0:
        kept.append(html[at:start])
        end = html.find("-->", start + 4)
        if end < 0:
            return "".join(kept)
        at = end + 3
    return "".join((*kept, html[at:]))


class _Lines:
    def __init__(self) -> None:
        self._lines: list[str] = []
        self._now: list[str] = []
        self._depth = 0
        self._pre = 0

    def text(self, text: str) -> None:
        if not self._pre:
            self._now.append(_SPACE.sub(" ", text))
            return
        first, *others = text.replace("\r\n", "\n").split("\n")
        self._now.append(first)
        for line in others:
            self._end(force=True)
            self._now.append(line)

    def tag(self, name: str, closing: bool) -> None:
        if name in _BREAKS:
            self._end(force=name == "br" or (name == "p" and closing))
        step = -1 if closing else 1
        if name == "blockquote":
            self._depth = min(max(self._depth + step, 0), 50)
        elif name == "pre":
            self._pre = max(self._pre + step, 0)

    def _end(self, *, force: bool) -> None:
        text = "".join(self._now)
        text = text.rstrip() if self._pre else text.strip()
        self._now = []
        if text or force:
            self._lines.append((">" * self._depth + " " if self._depth else "") + text)

    def joined(self) -> str:
        self._end(force=False)
        return "\n".join(self._lines) + "\n"
