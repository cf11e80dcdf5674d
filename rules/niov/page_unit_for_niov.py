"""DM201: something is counted in pages although the binding has a size of its own for its niovs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from reviewer.kit.units import PAGE_CALLS, PAGE_NAMES, page_names
from reviewer.rule import CodeRule, Example, Find, Hit, Node, Result, Unit, code

from ._shapes import PATHS, knows_shift, niov_expression, pool_size

_INSTEAD = {"PAGE_SHIFT": "the shift", "PAGE_SIZE": "1UL << shift"}


class PageUnitForNiov(CodeRule):
    """Once a binding or ifq carries a shift, offsets, counts and pool sizes of its niovs follow it.

    What it does: where a niov shift is known to exist, finds the expressions that count niovs (index to address,
    length to number of niovs, virtual address to index and offset, gen_pool orders and sizes) in PAGE units.

    Why it matters: with niovs larger than a page, a page-based index addresses the wrong niov, and a pool that frees
    other sizes than it hands out corrupts its bitmap.

    The size of a gen_pool divided by pages is a warning for itself: the pool has an order of its own.

    When it stays silent: nothing in the file or in the series up to this patch has a niov shift; PAGE_SHIFT as a
    default, in a validation, or as an argument; code on pages and folios.

    Sources: RULES DM201; <5d29fc35107408e1d23d4d9e853cccc4e270b0f1.1758030357.git.asml.silence@gmail.com>;
    <CAHS8izNdJ1LTOr_pLjXef6Yv-=JOFPe1GcZtcbStD93Tkpy1XQ@mail.gmail.com>; of the size of a pool,
    <aAka_v_uBV9UIwFO@mini-arch>.
    """

    id = "DM201"
    name = "page-unit-for-niov"
    title = "Niovs counted in pages"
    why = "A niov has the size of its binding's shift; whatever turns an offset into an index, or back, must use that."
    level = "error"
    confidence = "medium"
    category = "niov-shift/page-size"
    needs = ("function", "hunk")
    paths = PATHS

    def check(self, unit: Unit) -> Iterator[Result]:
        """Yield a hit for each expression on changed lines that counts niovs in pages."""
        if not unit.mentions(*sorted(PAGE_NAMES | PAGE_CALLS)):
            return
        known: bool | None = None
        for page in page_names(unit.root):
            expression = niov_expression(unit, page) if unit.touched(page) else None
            if expression is None:
                pool = pool_size(page) if unit.touched(page) else None
                if pool is not None:
                    yield _pool_hit(unit, page, pool)
                continue
            known = knows_shift(unit) if known is None else known
            if not known:
                continue
            shown = " ".join(expression.text.split())
            message = (
                f"{shown} counts in pages, but niovs have the size that the binding's shift says: with larger niovs "
                f"this is off. Use {_INSTEAD.get(page.text, '1UL << shift as the unit')} in place of {page.text}."
            )
            yield Hit(at=unit.at(page), message=message)

    @staticmethod
    def examples() -> Sequence[Example]:
        """Invented providers."""
        return (
            code(
                "bad",
                "net/core/devmem.c",
                """
struct frob {
	dma_addr_t base;
	unsigned int slot_shift;
};

static dma_addr_t frob_addr(struct frob *fb, struct net_iov *niov)
{
	return fb->base + ((dma_addr_t)net_iov_idx(niov) << PAGE_SHIFT);
}

static struct net_iov *frob_lookup(struct frob *fb, size_t virt_addr, size_t *off)
{
	*off = virt_addr & (PAGE_SIZE - 1);
	return fb->tx_vec[virt_addr / PAGE_SIZE];
}

static void frob_free(struct frob *fb, struct net_iov *niov)
{
	gen_pool_free(fb->pool, frob_addr(fb, niov), PAGE_SIZE);
}
""",
                finds=[
                    Find(line="net_iov_idx(niov) << PAGE_SHIFT"),
                    Find(line="*off = virt_addr & (PAGE_SIZE - 1);"),
                    Find(line="tx_vec[virt_addr / PAGE_SIZE]"),
                    Find(line="gen_pool_free(fb->pool"),
                ],
            ),
            code(
                "good",
                "net/core/devmem.c",
                """
struct frob {
	dma_addr_t base;
	unsigned int slot_shift;
};

static dma_addr_t frob_addr(struct frob *fb, struct net_iov *niov)
{
	return fb->base + ((dma_addr_t)net_iov_idx(niov) << fb->slot_shift);
}

static struct net_iov *frob_lookup(struct frob *fb, size_t virt_addr, size_t *off)
{
	*off = virt_addr & ((1UL << fb->slot_shift) - 1);
	return fb->tx_vec[virt_addr >> fb->slot_shift];
}
""",
            ),
            code(
                "bad",
                "net/core/devmem.c",
                """
static int frob_check(struct frob *fb, unsigned int wanted)
{
	size_t size = gen_pool_size(fb->pool) >> PAGE_SHIFT;

	return wanted > size || gen_pool_size(fb->pool) < PAGE_SIZE;
}
""",
                finds=[Find(line="size_t size = gen_pool_size", level="warning")],
            ),
            code(
                "look-alike",
                "net/core/devmem.c",
                """
static dma_addr_t frob_addr(struct frob *fb, struct net_iov *niov)
{
	return fb->base + ((dma_addr_t)net_iov_idx(niov) << PAGE_SHIFT);
}
""",
                note="code that knows no other unit",
            ),
            code(
                "look-alike",
                "io_uring/zcrx.c",
                """
static int frob_setup(struct frob *fb, struct frob_reg *reg, struct page_pool *pp)
{
	unsigned int nr_pages = fb->mem.size >> PAGE_SHIFT;

	fb->niov_shift = PAGE_SHIFT;
	if (reg->rx_buf_len < PAGE_SIZE)
		return -EINVAL;
	if (pp->p.order + PAGE_SHIFT != fb->niov_shift)
		return -EINVAL;
	fb->pages_shift = fb->niov_shift - PAGE_SHIFT;
	return frob_bind(fb, PAGE_SHIFT, nr_pages << PAGE_SHIFT);
}
""",
                note="a default, validations, an argument, and pages that are pages",
            ),
        )


def _pool_hit(unit: Unit, page: Node, pool: Node) -> Hit:
    shown = " ".join(pool.text.split())
    message = (
        f"{shown} counts the pool in pages, but what it hands out need not be pages: it has an order of its own. Keep "
        "the size in bytes."
    )
    return Hit(at=unit.at(page), message=message, level="warning")
