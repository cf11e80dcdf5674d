"""The parts of a mail that hold text, decoded."""

from __future__ import annotations

from msgspec.structs import replace

from reviewer.mail.charset import decode
from reviewer.mail.flowed import unflow
from reviewer.mail.header import scan_headers
from reviewer.mail.mime import Leaf, read_leaves
from reviewer.mail.span import diff_span
from reviewer.model import Mail, TextLine, TextPart

_PGP = "-----BEGIN PGP SIGNED MESSAGE-----\n"
MAX_LINES = 1_000_000
_PGP_END = "-----BEGIN PGP SIGNATURE-----"


def text_parts(mail: Mail) -> tuple[TextPart, ...]:
    """The parts of a mail that hold text or a patch, in order; those in HTML only when there are no others.

    Reads the mail from its spool. Raises nothing for what stands in the mail: what was lost is said in `damaged`.
    """
    return parts_of(mail.load())


def parts_of(data: bytes) -> tuple[TextPart, ...]:
    """The text parts of a raw mail, headers and all."""
    headers, start = scan_headers(data)
    leaves, limit = read_leaves(headers, data[start:])
    chosen = [leaf for leaf in leaves if leaf.is_text]
    if not chosen:
        chosen = [leaf for leaf in leaves if leaf.content_type == "text/html"]
    parts = [_part(number, leaf) for number, leaf in enumerate(chosen)]
    if limit and parts:
        parts[-1] = replace(parts[-1], damaged="; ".join(filter(None, (parts[-1].damaged, limit))))
    return tuple(parts)


def part_lines(part: TextPart) -> tuple[TextLine, ...]:
    """The lines of a part as people read them: format=flowed unwrapped, each with its first line's `body_line`."""
    lines = part.text.removesuffix("\n").split("\n")
    if part.flowed:
        return unflow(lines, delsp=part.delsp)
    return tuple(TextLine(text=text, body_line=number) for number, text in enumerate(lines, 1))


def _part(number: int, leaf: Leaf) -> TextPart:
    raw, broken = leaf.content()
    text, lost = decode(raw, leaf.charset)
    problems = [broken, lost]
    if "\0" in text:
        problems.append("holds NUL characters")
    text = _folded(text)
    if text.count("\n") > MAX_LINES:
        text = "\n".join(text.split("\n", MAX_LINES)[:MAX_LINES])
        problems.append(f"more than {MAX_LINES} lines, cut there")
    if leaf.content_type == "text/html" and not leaf.is_text:
        from reviewer.mail.htmltext import html_to_text  # for the few mails that hold HTML alone

        text = html_to_text(text)
        problems.append("HTML alone")
    elif text.startswith(_PGP):
        text = _unarmoured(text)
    if leaf.flowed and _patch_broken(text):
        problems.append("patch wrapped by format=flowed")
    return TextPart(
        number=number,
        text=text,
        content_type=leaf.content_type,
        filename=leaf.filename,
        damaged="; ".join(filter(None, problems)),
        flowed=leaf.flowed,
        delsp=leaf.delsp,
    )


def _folded(text: str) -> str:
    """`text` with CRLF folded to LF; where only lines of a patch end in CRLF, they belong to the file and stay."""
    end = text.find("\n")
    if "\r\n" in text and (text[end - 1 : end] == "\r" or "\ndiff --git " not in text):
        return text.replace("\r\n", "\n")
    return text


def _unarmoured(text: str) -> str:
    """An inline-signed text with its dash escaping undone, line by line, so that places stay."""
    signed, mark, signature = text.partition(_PGP_END)
    first, _, rest = signed.partition("\n")
    return first + ("\n" + rest).replace("\n- ", "\n") + mark + signature


def _patch_broken(text: str) -> bool:
    span = diff_span(text.split("\n"))
    return span is not None and not span.whole
