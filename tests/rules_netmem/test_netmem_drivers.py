"""The rules on drivers, memory providers and the core's gates, beyond their examples."""

from __future__ import annotations

import pytest

from reviewer.examples import run_example
from reviewer.folders import shipped
from reviewer.registry import rules_in
from reviewer.rule import code

RULES = {rule.id: rule for rule, _ in rules_in(shipped("rules") / "netmem")}
NET = "net/core/frob.c"
DRIVER = "drivers/net/frob.c"
ENABLE = "\nvoid frob_probe(struct net_device *dev)\n{\n\tdev->netmem_tx = true;\n}\n"


def told(rule: str, text: str, path: str = DRIVER) -> list[str]:
    """The lines that the rule speaks of in a new file."""
    report, _ = run_example(RULES[rule], code("bad", path, text))
    assert report.complete
    return [one.location.text.strip() for one in report.findings]


def function(
    statements: str, head: str = "int frob(struct sk_buff *skb, const skb_frag_t *frag, struct frob *fb)"
) -> str:
    return f"{head}\n{{\n{statements}\n}}\n"


@pytest.mark.parametrize(
    ("statements", "count"),
    [
        ("\tu16 len = skb_frag_size(frag);\n\tfrob_post(fb, len);", 1),
        ("\tunsigned short len;\n\n\tlen = skb_frag_size(frag);\n\tfrob_post(fb, len);", 1),
        ("\tfb->bd->len = cpu_to_be16(skb_frag_size(frag));", 1),
        ("\tfrob_post(fb, cpu_to_le16(skb_frag_size(frag)));", 1),
        ("\tunsigned int len = skb_frag_size(frag);\n\tfrob_post(fb, len);", 0),
        ("\tu16 len;\n\n\tif (skb_frag_size(frag) > FROB_MAX_LEN)\n\t\treturn 0;\n\tlen = skb_frag_size(frag);", 0),
        ("\tfb->bd->len = cpu_to_le32(skb_frag_size(frag));", 0),
        ("\tu32 len = skb_frag_size(frag);\n\tfb->bd->word = cpu_to_le32(len << 16);", 1),
        ("\tfb->bd->word = skb_frag_size(frag) << FROB_LEN_SHIFT;", 1),
        ("\tu32 len = skb_frag_size(frag);\n\tfb->bd->len = cpu_to_le16(len);", 1),
        ("\tu32 len = skb_frag_size(frag);\n\tfb->word = len << 4;", 0),
        ("\tu32 len = skb_frag_size(frag);\n\tfb->word = (u64)len << 16;", 0),
        ("\tsize_t len = skb_frag_size(frag);\n\tfb->word = len << 16;", 0),
        ("\tu32 len = skb_frag_size(frag);\n\tlen = fb->len;\n\tfb->word = len << 16;", 0),
        ("\tu32 len = skb_frag_size(frag);\n\tif (fb->most < len)\n\t\treturn 0;\n\tfb->word = len << 16;", 0),
        ("\tu32 len = min(skb_frag_size(frag), fb->most);\n\tfb->word = len << 16;", 0),
    ],
)
def test_what_keeps_sixteen_bits_of_a_frag(statements: str, count: int) -> None:
    assert len(told("DM514", function(statements) + ENABLE)) == count
    assert told("DM514", function(statements)) == []


@pytest.mark.parametrize(
    ("statements", "count"),
    [
        ("\tif (skb_shinfo(skb)->nr_frags >= 8 && __skb_linearize(skb))\n\t\treturn 0;", 1),
        ("\tif (unlikely(skb_shinfo(skb)->nr_frags > fb->most)) {\n\t\tskb = skb_copy(skb, GFP_ATOMIC);\n\t}", 1),
        ("#if MAX_SKB_FRAGS > 9\n\tif (skb_shinfo(skb)->nr_frags > 9)\n\t\tskb_linearize(skb);\n#endif", 1),
        ("\tif (skb_linearize(skb))\n\t\treturn 0;", 0),
        ("\tif (skb_shinfo(skb)->nr_frags > 8)\n\t\treturn 0;\n\tfrob_send(skb);", 0),
    ],
)
def test_what_a_driver_does_with_too_many_frags(statements: str, count: int) -> None:
    assert len(told("DM515", function(statements) + ENABLE)) == count


@pytest.mark.parametrize(
    ("statements", "count"),
    [
        ("\tstruct page_pool_params pp = { .flags = PP_FLAG_DMA_MAP | PP_FLAG_ALLOW_UNREADABLE_NETMEM };", 1),
        ("\tstruct page_pool_params pp = {\n\t\t.flags = PP_FLAG_DMA_MAP | PP_FLAG_DMA_SYNC_DEV |\n"
         "\t\t\t PP_FLAG_ALLOW_UNREADABLE_NETMEM,\n\t};", 0),
        ("\tstruct page_pool_params head_pp = { .flags = PP_FLAG_ALLOW_UNREADABLE_NETMEM };", 1),
        ("\tfb->rx.hdr_params.flags |= PP_FLAG_ALLOW_UNREADABLE_NETMEM;", 1),
        ("\tif (!(fb->flags & PP_FLAG_ALLOW_UNREADABLE_NETMEM))\n\t\treturn 0;", 0),
        ("\tbool yes = fb->flags & PP_FLAG_ALLOW_UNREADABLE_NETMEM;", 0),
        ("\tfb->threaded_params.flags |= PP_FLAG_ALLOW_UNREADABLE_NETMEM;", 0),
    ],
)  # fmt: skip
def test_which_pools_may_be_unreadable(statements: str, count: int) -> None:
    assert len(told("DM517", function(statements))) == count


@pytest.mark.parametrize(
    ("statements", "count"),
    [
        ("\tif (!pskb_may_pull(skb, 20) || !skb_frags_readable(skb))\n\t\treturn 0;\n\tfrob(ip_hdr(skb));", 1),
        ("\tif (!skb_frags_readable(skb))\n\t\tgoto drop;\n\tif (skb_ensure_writable(skb, 20))\n\t\tgoto drop;\ndrop:\n"
         "\treturn 0;", 1),
        ("\tif (!skb_frags_readable(skb))\n\t\treturn 0;\n\tpskb_may_pull(skb, 20);\n\tskb_copy_bits(skb, 0, fb, 4);",
         0),
        ("\tif (!skb_frags_readable(skb))\n\t\treturn 0;\n\tfrob_all(skb);", 0),
        ("\tif (skb_frags_readable(skb))\n\t\treturn 0;\n\tpskb_may_pull(skb, 20);", 0),
    ],
)  # fmt: skip
def test_which_functions_only_touch_headers(statements: str, count: int) -> None:
    text = function(statements, "int frob(struct sk_buff *skb, struct frob *fb)")
    assert len(told("DM504", text, NET)) == count


@pytest.mark.parametrize(
    ("statements", "count"),
    [
        ("\tmemcpy(to->frags, skb_shinfo(from)->frags, len);", 1),
        ("\tmemcpy(skb_shinfo(to)->frags + n, skb_shinfo(from)->frags, len);\n\tto->unreadable = from->unreadable;", 0),
        ("\tmemmove(&skb_shinfo(to)->frags[1], skb_shinfo(to)->frags, len);", 0),
        ("\tmemcpy(fb->copy, skb_shinfo(from)->frags, len);", 0),
    ],
)
def test_which_copies_of_frags_merge(statements: str, count: int) -> None:
    assert len(told("DM505", function(statements, "void frob(struct sk_buff *to, struct sk_buff *from)"), NET)) == count


def test_a_provider_says_what_earlier_kernels_had_no_word_for() -> None:
    ops = (
        "static const struct memory_provider_ops frob_ops = {\n"
        "\t.init = a,\n\t.destroy = b,\n\t.alloc_X = c,\n\t.release_X = d,\n};\n"
    )
    assert told("DM519", ops.replace("alloc_X", "alloc_pages").replace("release_X", "release_page"), NET) == []
    now = ops.replace("alloc_X", "alloc_netmems").replace("release_X", "release_netmem")
    assert told("DM519", now, NET) == []
    assert told("DM519", now.replace("\t.init = a,\n", ""), NET) == [
        "static const struct memory_provider_ops frob_ops = {"
    ]
    assert told("DM519", now + function("\treturn true;", "bool d(struct page_pool *pool, netmem_ref nm)"), NET) == [
        "return true;"
    ]


def test_a_release_that_answers_for_pages_is_not_judged() -> None:
    assert told("DM519", function("\treturn true;", "static bool frob_release(struct frob *fb)"), NET) == []


def test_xdp_sends_no_device_memory() -> None:
    text = function("\tu16 len = skb_frag_size(frag);\n\tfrob_post(fb, len);", "int frob_xdp(const skb_frag_t *frag)")
    assert told("DM514", text + ENABLE) == []
