"""DM521: a `struct page *` that carries something else, told by a bit of the pointer."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from reviewer.kit.expressions import bare, declared_type, operator
from reviewer.rule import CodeRule, Example, Find, Hit, Node, Result, Unit, code


class PagePointerTagged(CodeRule):
    """A pointer of another type is made from a `struct page *` by taking tag bits away.

    What it does: it looks for casts to a pointer of a struct, of a `struct page *` with bits masked out.

    Why it matters: what is typed as a page will be used as one. Nothing in the compiler stops page_address() or
    get_page() on it, and each place that forgets the bit follows a wild pointer. An own type that has to be converted
    (netmem_ref is one) makes the compiler find these places.

    When it stays silent: integers and own types that carry bits; masks that pick bits instead of taking them away;
    casts back to struct page; code outside the network.

    Sources: <20231212122535.GA3029808@nvidia.com>; include/net/netmem.h (netmem_ref). Not in RULES.md: it came out of
    the labels of the corpus.
    """

    id = "DM521"
    name = "page-pointer-tagged"
    title = "struct page pointer that carries something else"
    why = (
        "What is typed struct page will be used as a page: only a type of its own lets the compiler find the mistakes."
    )
    level = "warning"
    confidence = "medium"
    category = "netmem-page-access"
    needs = ("hunk",)
    paths = ("net/**", "include/net/**", "include/linux/skbuff*", "drivers/net/**", "io_uring/**")

    def check(self, unit: Unit) -> Iterator[Result]:
        """Yield a hit for each cast."""
        if not unit.mentions("struct page *"):
            return
        for cast in unit.find("cast_expression"):
            kind, value = cast.child("type"), cast.child("value")
            if kind is None or value is None or not _is_other_struct(kind.text):
                continue
            page = _untagged(unit, bare(value))
            if page is not None:
                yield Hit(
                    at=unit.at(cast),
                    message=f"`{page.text}` is typed struct page but is a {_named(kind.text)} when its tag is set: "
                    "the compiler cannot tell who uses it as a page. A type of its own, converted where it is known "
                    "which of both it is, would.",
                )

    @staticmethod
    def examples() -> Sequence[Example]:
        """Bad: the tag taken off a page pointer. Look-alikes: an own type, back to a page, the bits picked."""
        path = "include/net/frob.h"
        back = _UNTAG.replace("struct frob_iov", "struct page")
        return (
            code("bad", path, _UNTAG, finds=[Find(line="return (struct frob_iov *)")]),
            code("good", path, _UNTAG.replace("struct page *", "frob_ref ")),
            code("look-alike", path, back, note="a page again"),
            code("look-alike", path, _UNTAG.replace("& ~FROB_BIT", "+ FROB_GAP"), note="no tag"),
            code("look-alike", "mm/frob.c", _UNTAG, note="mm knows its bits"),
        )


def _is_other_struct(kind: str) -> bool:
    words = kind.replace("*", " * ").split()
    return words[:1] == ["struct"] and words[-1] == "*" and words[1:2] != ["page"]


def _named(kind: str) -> str:
    return " ".join(kind.replace("*", " ").split())


def _untagged(unit: Unit, value: Node) -> Node | None:
    """The `struct page *` of `page & ~BITS`."""
    left, right = value.child("left"), value.child("right")
    if value.kind != "binary_expression" or operator(value) != "&" or left is None or right is None:
        return None
    mask, page = bare(right), bare(left)
    if mask.kind != "unary_expression" or operator(mask) != "~" or page.kind != "identifier":
        return None
    kind = declared_type(unit, page, value)
    return page if kind is not None and kind.removeprefix("const ") == "struct page *" else None


_UNTAG = """
static inline struct frob_iov *frob_iov(struct page *page)
{
	return (struct frob_iov *)((unsigned long)page & ~FROB_BIT);
}
"""
