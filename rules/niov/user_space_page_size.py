"""DM213: a program takes PAGE_SIZE for the size of a page of the kernel that it runs on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from reviewer.rule import CodeRule, Example, Find, Hit, Node, Result, Unit, code

_ASKS = ("_SC_PAGESIZE", "_SC_PAGE_SIZE", "getpagesize", "getauxval")


class UserSpacePageSize(CodeRule):
    """Examples and tests of liburing ask the kernel for the size of a page.

    What it does: finds the first use of PAGE_SIZE that a patch adds to a file, and its definition as a number.

    Why it matters: no header of user space has it, so that it is a number that somebody wrote down, right for x86 only;
    rings and areas that are aligned by it are refused where pages are larger.

    When it stays silent: the file asks sysconf() or getpagesize() as far as it is shown. A definition as a number is a
    note, and what uses it is not charged again. The kernel's own selftests, many of which keep what sysconf() says in
    a variable of this name, are left alone.

    Sources: <af78093c-9cf9-4e71-8d89-029ab460fab9@kernel.dk>; <20250419141044.10304-1-haiyuewa@163.com>; sysconf(3).
    """

    id = "DM213"
    name = "user-space-page-size"
    title = "PAGE_SIZE in user space is a number that somebody wrote down"
    why = "The size of a page depends on the kernel that runs: a program has to ask for it."
    level = "warning"
    confidence = "medium"
    category = "niov-shift/page-size"
    needs = ("hunk",)
    paths = ("examples/**", "test/**")

    def check(self, unit: Unit) -> Iterator[Result]:
        """Yield a hit for the definition of PAGE_SIZE as a number, else for its first use."""
        if not unit.mentions("PAGE_SIZE") or any(each.mentions(*_ASKS) for each in (unit, *unit.peers)):
            return
        definitions = [node for node in unit.find("preproc_def") if _defines(node)]
        for node in definitions:
            value = node.child("value")
            if value is not None and value.text.strip(" ()").isdigit():
                message = "This is right where pages are 4 KiB only; ask sysconf(_SC_PAGESIZE) at run time."
                yield Hit(at=unit.at(node), message=message, level="note")
        if definitions or any("define PAGE_SIZE" in each.text for each in unit.peers):
            return
        uses = (node for node in unit.find("identifier") if node.text == "PAGE_SIZE" and unit.touched(node))
        for node in uses:
            message = (
                "PAGE_SIZE is a fixed number in user space, whatever size the kernel's pages have; take "
                "sysconf(_SC_PAGESIZE)."
            )
            yield Hit(at=unit.at(node), message=message)
            return

    @staticmethod
    def examples() -> Sequence[Example]:
        """Bad: used, defined. Good: asked for. Look-alike: the kernel."""
        path = "examples/frob.c"
        return (
            code("bad", path, _SIZE, finds=[Find(line="return frob_align(size, PAGE_SIZE);")]),
            code("bad", path, _DEFINED, finds=[Find(line="#define PAGE_SIZE", level="note")]),
            code("good", path, _SIZE.replace("PAGE_SIZE", "sysconf(_SC_PAGESIZE)")),
            code("good", path, _ASKED),
            code("look-alike", "io_uring/frob.c", _SIZE),
        )


def _defines(node: Node) -> bool:
    name = node.child("name")
    return name is not None and name.text == "PAGE_SIZE"


_SIZE = """
static size_t frob_ring_size(unsigned int entries)
{
	size_t size = entries * sizeof(struct frob_entry);

	return frob_align(size, PAGE_SIZE);
}
"""
_DEFINED = f"""
#define PAGE_SIZE (4096)
{_SIZE}"""
_ASKED = f"""
static long PAGE_SIZE;

static void frob_setup(void)
{{
	PAGE_SIZE = sysconf(_SC_PAGESIZE);
}}
{_SIZE}"""
