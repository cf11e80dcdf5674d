"""DM211: a comment still says that a niov is a page, in code that a patch makes count in the size of a niov."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from reviewer.kit.units import is_niov_name
from reviewer.rule import CodeRule, Example, Find, Hit, Node, Result, Unit, code

from ._shapes import PATHS

_PAGES = ("PAGE_SIZE", "PAGE_SHIFT", "page sized", "page-sized", "order 0", "order-0")
_THINGS = ("niov", "net_iov", "chunk", "allocation", "slot", "dma-buf", "dmabuf")
_SIZES = ("niov_size", ">= page_size", "at least", "default", "multiple of")


class CommentPromisesPages(CodeRule):
    """Where a patch brings the size of a niov to a function, comments beside it do not promise pages any more.

    What it does: looks in what is shown of a function for comments that speak of PAGE_SIZE and of niovs, chunks or
    allocations, while the patch adds names of a niov's shift or size there.

    Why it matters: the next reader believes the comment.

    When it stays silent: the patch touches the comment; it speaks of a default, a lower bound or the shift. Files that
    the patch does not touch, such as include/net/netmem.h, are not seen, nor is the documentation (unlike in
    RULES.md): a rule sees the files of the patch.

    Sources: RULES.md DM211; <20260603-tcpdm-large-niovs-v1-1-f37a4ac6726c@meta.com>, which takes such a comment out.
    """

    id = "DM211"
    name = "comment-promises-pages"
    title = "A comment still says that a niov is a page"
    why = "A comment that promises pages misleads whoever reads the code that no longer keeps to them."
    level = "note"
    confidence = "medium"
    category = "niov-shift/page-size"
    needs = ("function", "hunk")
    paths = PATHS

    def check(self, unit: Unit) -> Iterator[Result]:
        """Yield a hit for each function, or file level, with such a comment."""
        if not unit.mentions("_shift", "niov_size") or not unit.mentions(*_PAGES):
            return
        comments = [node for node in unit.find("comment") if not unit.touched(node) and _promises(node.text)]
        if not comments:
            return
        names = (node for node in unit.find("identifier", "field_identifier") if is_niov_name(node.text))
        brought: dict[int, Node] = {}
        for node in names:
            if unit.touched(node):
                brought.setdefault(_scope(unit, node), node)
        said: set[int] = set()
        for comment in comments:
            scope = _scope(unit, comment)
            name = brought.get(scope)
            if name is None or scope in said:
                continue
            said.add(scope)
            shown = next(line.strip(" \t/*") for line in comment.text.split("\n") if _names_pages(line))
            message = f"The comment here still promises pages (`{shown}`), which ends with {name.text}. Update it, too."
            yield Hit(at=unit.at(name), message=message, related=(unit.at(comment),), evidence=shown)

    @staticmethod
    def examples() -> Sequence[Example]:
        """Bad: beside, above. Good: updated, taken out. Look-alikes: a default, another function."""
        path = "net/core/devmem.c"
        says = [Find(line="fb->pool = gen_pool_create(fb->niov_shift, nid);")]
        updated = _CREATE_NIOV.replace("only PAGE_SIZE", "only niov sized")
        default = _CREATE.replace("only PAGE_SIZE", "by default PAGE_SIZE")
        return (
            code("bad", path, _CREATE_NIOV, before=_CREATE, finds=says),
            code("bad", path, _STRUCT_NIOV, before=_STRUCT, finds=[Find(line="unsigned int niov_shift;")]),
            code("good", path, updated, before=_CREATE),
            code("look-alike", path, default.replace("PAGE_SHIFT", "fb->niov_shift"), before=default),
            code("look-alike", path, _CREATE + _ADDRESS_NIOV, before=_CREATE + _ADDRESS, note="another function"),
        )


def _promises(text: str) -> bool:
    lowered = text.lower()
    return (
        _names_pages(text)
        and any(thing in lowered for thing in _THINGS)
        and not any(size in lowered for size in _SIZES)
        and "shift" not in lowered.replace("page_shift", "")
    )


def _names_pages(text: str) -> bool:
    return any(word in text for word in _PAGES)


def _scope(unit: Unit, node: Node) -> int:
    """The first row of the function around `node`, -1 outside of functions."""
    function = unit.function_of(node)
    return function.first_row if function is not None else -1


_CREATE = """
static int frob_create(struct frob *fb, int nid)
{
	/* We make only PAGE_SIZE allocations for now. */
	fb->pool = gen_pool_create(PAGE_SHIFT, nid);
	return fb->pool ? 0 : -ENOMEM;
}
"""
_CREATE_NIOV = _CREATE.replace("PAGE_SHIFT, nid", "fb->niov_shift, nid")
_STRUCT = """
/* Each chunk is cut into slots that are PAGE_SIZE bytes. */
struct frob {
	void *pool;
};
"""
_STRUCT_NIOV = _STRUCT.replace("void *pool;", "void *pool;\n\tunsigned int niov_shift;")
_ADDRESS = """
static size_t frob_offset(struct frob *fb, struct net_iov *niov)
{
	return (size_t)net_iov_idx(niov) << PAGE_SHIFT;
}
"""
_ADDRESS_NIOV = _ADDRESS.replace("PAGE_SHIFT", "fb->niov_shift")
