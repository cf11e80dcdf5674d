"""The netmem rules on functions of our own."""

from __future__ import annotations

import pytest

from reviewer.examples import run_example
from reviewer.folders import shipped
from reviewer.registry import rules_in
from reviewer.rule import code

RULES = {rule.id: rule for rule, _ in rules_in(shipped("rules") / "netmem")}
NET = "net/core/frob.c"
DRIVER = "drivers/net/frob.c"
SYNC = "dma_sync_single_range_for_cpu(dev, page_pool_get_dma_addr_netmem(nm), 0, len, dir);"
COUNTED = "for (i = 0; i < sh->nr_frags; i++)\n"
HEAD = "int frob_do(struct sk_buff *skb, skb_frag_t *frag, netmem_ref nm, u32 len)\n"


def told(rule: str, statements: str, *, path: str = NET, head: str = HEAD) -> list[tuple[str, str]]:
    """(line, level) of each finding on a function with these statements."""
    report, _ = run_example(RULES[rule], code("bad", path, f"{head}{{\n{statements}}}\n"))
    assert report.complete
    return [(one.location.text.strip(), one.level) for one in report.findings]


def test_the_family_is_complete() -> None:
    known = (
        "DM501 DM502 DM503 DM504 DM505 DM506 DM507 DM508 DM509 DM510 DM511 DM512 DM513 DM514 DM515 DM516 DM517 DM519 "
        "DM520 DM521 DM522"
    )
    assert sorted(RULES) == known.split()


@pytest.mark.parametrize(
    ("statements", "count"),
    [
        ("frob_use(netmem_to_page(nm)->flags);", 1),
        ("frob_use(netmem_to_page(nm)[0]);", 1),
        ("p = (char *)netmem_address(nm) + 4;", 1),
        ("p = netmem_address(nm); frob_read(p);", 1),
        ("p = netmem_address(nm); frob_use(*p);", 1),
        ("p = netmem_address(nm); if (!p) return 0; frob_read(p);", 0),
        ("p = netmem_address(nm); if (unlikely(!p)) return 0; frob_read(p);", 0),
        ("p = netmem_address(nm); if (WARN_ON_ONCE(p == NULL)) return 0; frob_read(p);", 0),
        ("p = netmem_address(nm); len = p ? *p : 0;", 0),
        ("p = netmem_address(nm); while (p) p = frob_next(p);", 0),
        ("p = netmem_address(nm);", 0),
        ("fb->va = netmem_address(nm);", 0),
        ("if (netmem_address(nm)) frob_read(netmem_address(nm));", 0),
        ("same = page == netmem_to_page(nm);", 0),
        ("fb->read(netmem_to_page(nm));", 0),
        ("netmem_to_page();", 0),
        ("if (!napi_pp_put_page(nm)) put_page(netmem_to_page(nm));", 0),
        ("len = skb_headlen(skb); frob_use(netmem_to_page(hdr_nm));", 0),
    ],
)
def test_use_without_a_test_for_null(statements: str, count: int) -> None:
    assert len(told("DM501", f"\t{statements}\n")) == count


def test_netmem_outside_a_function_is_not_judged() -> None:
    report, _ = run_example(RULES["DM501"], code("bad", NET, "struct page *frob = frob_of(netmem_to_page(frob_nm));\n"))
    assert report.findings == ()
    assert [notice.code for notice in report.notices] == ["not-checked"]


@pytest.mark.parametrize(
    ("rule", "statement", "path", "found"),
    [
        ("DM502", "frob_use(page_address(skb_frag_page(frag)));", NET, ["warning"]),
        ("DM502", "put_page(skb_frag_page(frag));", NET, []),
        ("DM502", "fits = skb_can_coalesce(skb, 1, skb_frag_page(frag), 0);", NET, []),
        ("DM502", "skb = netdev_alloc_skb(dev, len); frob_use(skb_frag_page(frag));", NET, []),
        ("DM502", "skb_frag_net_iov(frag); frob_use(skb_frag_page(frag));", DRIVER, []),
        ("DM502", "fb->allow_unreadable = 1; frob_use(skb_frag_page(frag));", DRIVER, ["warning"]),
        ("DM510", "page_count(skb_frag_page(frag));", NET, ["warning"]),
        ("DM510", "put_page(netmem_to_page(nm));", NET, ["warning"]),
        ("DM510", "put_page(page);", NET, []),
        ("DM510", "put_page(fb->page);", NET, []),
        ("DM510", "page_pool_put_page(pool, frag->bv_page);", NET, []),
        ("DM510", "page_pool_unref_page(skb_frag_page(frag), 1);", NET, ["warning"]),
        ("DM510", "page_pool_get_stats(frag->bv_page);", NET, []),
        ("DM510", "page_pool_ref_netmem(skb_frag_netmem(frag));", NET, []),
        ("DM511", "dma_unmap_page(dev, page_pool_get_dma_addr_netmem(nm), len, dir);", DRIVER, ["warning"]),
        ("DM511", "dma_unmap_page(dev, page_pool_get_dma_addr_netmem(nm), len, dir);", NET, []),
        ("DM511", SYNC, DRIVER, ["warning"]),
        ("DM511", "dma_unmap_single(dev);", DRIVER, []),
        ("DM511", "dma_unmap_single(dev, fb->dma, len, dir);", DRIVER, []),
        ("DM511", "page_pool_get_dma_addr(page);", DRIVER, []),
        ("DM511", "dma_map_page(dev, skb_frag_page(xdp_frag), 0, len, dir);", DRIVER, []),
        ("DM506", "__skb_fill_netmem_desc_noacc(sh, 0, nm, 0, len);", NET, ["warning"]),
        ("DM506", "__skb_fill_netmem_desc_noacc(sh, 0, hdr_nm, 0, len);", NET, []),
        ("DM506", "__skb_fill_netmem_desc_noacc(sh);", NET, []),
        ("DM506", "nm = page_to_netmem(page); __skb_fill_netmem_desc_noacc(sh, 0, nm, 0, len);", NET, []),
        ("DM507", "netdev->netmem_tx = false; dma_unmap_page(dev, a, skb_frag_size(frag), dir);", DRIVER, []),
        ("DM507", "netmem_tx = true;", DRIVER, []),
        ("DM507", "netdev->netmem_tx = true; netmem_dma_unmap_page_attrs(dev, a, len, dir, 0);", DRIVER, []),
        ("DM509", "io_zcrx_iov_to_area(frob_niov(frag));", NET, ["warning"]),
        ("DM509", "net_devmem_iov_binding();", NET, ["warning"]),
        ("DM509", "if (niov->type == NET_IOV_DMABUF) net_devmem_iov_binding(niov);", NET, []),
        ("DM513", "while (len--) skb_fill_page_desc(skb, i++, page, 0, 1);", NET, ["warning"]),
        ("DM513", "while (len--) if (i < max_frags) skb_fill_page_desc(skb, i++, page, 0, 1);", NET, []),
    ],
)
def test_one_statement(rule: str, statement: str, path: str, found: list[str]) -> None:
    assert [level for _, level in told(rule, f"\t{statement}\n", path=path)] == found


@pytest.mark.parametrize(
    ("statement", "count"),
    [
        ("sum += frob_csum(frag);", 1),
        ("copy_to_iter(&sh->frags[i], len, to);", 1),
        ("sum += frob_csum(skb_frag_address(&sh->frags[i]));", 0),
        ("csum_add(frag, 1);", 0),
        ("frob_hash(len);", 0),
        ("frob_hash(*p);", 0),
    ],
)
def test_payload_walked(statement: str, count: int) -> None:
    assert len(told("DM503", f"\t{COUNTED}\t\t{statement}\n")) == count


def test_payload_walked_in_a_function_that_is_not_all_visible() -> None:
    before = "".join(f"\tfrob_{number}(skb);\n" for number in range(12))
    after = f"{before}\t{COUNTED}\t\tsum += frob_csum(frag);\n{before}"
    shape = f"{HEAD}{{\nBODY\treturn 0;\n}}\n"
    example = code("bad", NET, shape.replace("BODY", after), before=shape.replace("BODY", before + before))
    report, _ = run_example(RULES["DM503"], example)
    assert report.findings == ()
    assert [notice.code for notice in report.notices] == ["not-checked"]


@pytest.mark.parametrize(
    ("rule", "line"),
    [
        ("DM509", "id = net_devmem_iov_binding_id(skb_frag_net_iov(frag));"),
        ("DM506", "skb_frag_fill_netmem_desc(frag, nm, 0, len);"),
        ("DM513", "while (len--) skb_fill_page_desc(skb, i++, page, 0, 1);"),
        ("DM510", "get_page(skb_frag_page(frag));"),
    ],
)
def test_what_stands_in_a_long_function_is_not_checked(rule: str, line: str) -> None:
    before = "".join(f"\tfrob_{number}(skb);\n" for number in range(12))
    shape = f"{HEAD}{{\nBODY\treturn 0;\n}}\n"
    example = code(
        "bad",
        NET,
        shape.replace("BODY", f"{before}\t{line}\n{before}"),
        before=shape.replace("BODY", before + before),
    )
    report, _ = run_example(RULES[rule], example)
    assert report.findings == ()
    assert [notice.code for notice in report.notices] == ["not-checked"]


@pytest.mark.parametrize(
    ("arguments", "count"),
    [
        ("skb, i, nm, off, len, PAGE_SIZE", 1),
        ("skb, i, nm, off, len, niov_size", 1),
        ("skb, i, nm, off, len, len", 0),
        ("skb, i, nm, off, len, frob_share(len)", 0),
        ("skb, i, nm, off, PAGE_SIZE, PAGE_SIZE", 0),
        ("skb, i, nm, off, len", 0),
    ],
)
def test_truesize(arguments: str, count: int) -> None:
    head = "int frob_sendmsg(struct sk_buff *skb, netmem_ref nm, size_t len)\n"
    assert len(told("DM512", f"\tskb_add_rx_frag_netmem({arguments});\n", head=head)) == count


@pytest.mark.parametrize(
    ("kind", "value", "count"),
    [
        ("struct frob *", "(unsigned long)page & ~1UL", 1),
        ("struct frob *", "(unsigned long)page & 1UL", 0),
        ("struct frob *", "(unsigned long)other & ~1UL", 0),
        ("struct frob *", "page", 0),
        ("struct page *", "(unsigned long)page & ~1UL", 0),
        ("unsigned int", "(unsigned long)page & ~1UL", 0),
    ],
)
def test_tagged_page_pointer(kind: str, value: str, count: int) -> None:
    head = "void frob_take(struct page *page, struct frob *other)\n"
    assert len(told("DM521", f"\tfrob_use(({kind})({value}));\n", head=head)) == count


@pytest.mark.parametrize(
    ("statements", "count"),
    [
        ("if (netmem_is_net_iov(nm)) return 0; return page_to_phys(netmem_to_page(nm));", 1),
        ("if (netmem_is_net_iov(nm)) { frob(); return 0; } return page_to_pfn(netmem_to_page(nm));", 1),
        ("if (!netmem_is_net_iov(nm)) return 0; return page_to_pfn(netmem_to_page(nm));", 0),
        ("if (netmem_is_net_iov(nm)) frob(); return page_to_pfn(netmem_to_page(nm));", 0),
        ("if (netmem_is_net_iov(nm)) return 0; pfn = page_to_pfn(netmem_to_page(nm));", 0),
        ("return page_to_pfn(page); if (netmem_is_net_iov(nm)) return 0;", 0),
    ],
)
def test_frame_zero(statements: str, count: int) -> None:
    assert len(told("DM522", f"\t{statements}\n")) == count
