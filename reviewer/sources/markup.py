"""Pages and feeds as a plain run of events. The only module that knows lxml."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Literal, NamedTuple

from reviewer.sources.stream import BrokenError

if TYPE_CHECKING:
    from lxml import etree

MAX_PAGE = 32 << 20

_NOTHING: Mapping[str, str] = MappingProxyType({})


class Event(NamedTuple):
    """A step through a document in its order.

    `value` is the tag's local name in lower case (open, close), the characters (text) or what stands in a comment.
    """

    kind: Literal["open", "close", "text", "comment"]
    value: str
    attributes: Mapping[str, str] = _NOTHING


class Markup(NamedTuple):
    """A document, and what is wrong with it (fit for the end of a sentence; empty when it was read to its end)."""

    events: Iterator[Event]
    damage: str


def read_html(data: bytes) -> Markup:
    """The events of an HTML page in UTF-8, as far as it can be read. Raises BrokenError when nothing can.

    Nothing that the page names is loaded, and its scripts are text like any other.
    """
    from lxml import etree

    parser = etree.HTMLParser(encoding="utf-8", recover=True, no_network=True, huge_tree=False)
    root = _root(data, parser)
    limits = any(entry.type == etree.ErrorTypes.ERR_RESOURCE_LIMIT for entry in parser.error_log)
    return Markup(_walk(root), "goes beyond what a page may hold" if limits else "")


def read_xml(data: bytes) -> Markup:
    """The events of an XML document, as far as it is well formed. Raises BrokenError when nothing is.

    Entities that the document declares itself are left out, never expanded; no DTD is loaded.
    """
    from lxml import etree

    parser = etree.XMLParser(
        recover=True, resolve_entities=False, no_network=True, huge_tree=False, load_dtd=False, dtd_validation=False
    )
    root = _root(data, parser)
    broken = any(entry.level == etree.ErrorLevels.FATAL for entry in parser.error_log)
    return Markup(_walk(root), "is damaged or breaks off" if broken else "")


def _root(data: bytes, parser: etree.HTMLParser | etree.XMLParser) -> etree._Element:  # pyright: ignore[reportPrivateUsage] - the public name of the type
    from lxml import etree

    try:
        root = etree.fromstring(data, parser)
    except (etree.ParseError, ValueError) as error:
        raise BrokenError(f"cannot be read ({error})") from None
    if root is None:
        raise BrokenError("holds nothing that can be read")
    return root


def _walk(root: etree._Element) -> Iterator[Event]:  # pyright: ignore[reportPrivateUsage] - the public name of the type
    """The document's events without recursion: how deep it is nested is for others to choose."""
    for before in reversed(list(root.itersiblings(preceding=True))):
        yield from _comment(before)
    yield from _opened(root)
    path = [(root, iter(root))]
    while path:
        node, children = path[-1]
        child = next(children, None)
        if child is None:
            path.pop()
            yield Event("close", _name(node))
            if path and node.tail:
                yield Event("text", node.tail)
        elif _is_element(child.tag):
            yield from _opened(child)
            path.append((child, iter(child)))
        else:
            yield from _comment(child)
            if child.tail:
                yield Event("text", child.tail)


def _is_element(tag: object) -> bool:
    """Whether a node is an element: the tag of comments, entities and instructions is a function."""
    return isinstance(tag, str)


def _comment(node: etree._Element) -> Iterator[Event]:  # pyright: ignore[reportPrivateUsage] - the public name of the type
    from lxml import etree

    tag: object = node.tag
    if tag is etree.Comment:
        yield Event("comment", node.text or "")


def _opened(node: etree._Element) -> Iterator[Event]:  # pyright: ignore[reportPrivateUsage] - the public name of the type
    yield Event("open", _name(node), {str(name): str(value) for name, value in node.attrib.items()})
    if node.text:
        yield Event("text", node.text)


def _name(node: etree._Element) -> str:  # pyright: ignore[reportPrivateUsage] - the public name of the type
    return str(node.tag).rpartition("}")[2].lower()
