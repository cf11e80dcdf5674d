"""Files of very many functions that rules look at: what a function costs does not grow with the file."""

from __future__ import annotations

import time

import pytest
from hostile_inputs import mail

from reviewer.engine import review
from reviewer.folders import shipped
from reviewer.mail.parse import parse_mail
from reviewer.model import Mail
from reviewer.registry import load_rules
from reviewer.series.assemble import assemble
from reviewer.series.opening import open_series

RULES = load_rules([shipped("rules")], installed=False)
FEW, TIMES = 200, 8
SLOWEST = 3.0
"""How much more a function may cost in a file of TIMES as many: 1 is linear, TIMES quadratic."""
FUNCTIONS = {
    "maps": "void m%d(struct frob *f)\n{\n\tf->t = dma_buf_map_attachment(f->a, DMA_TO_DEVICE);\n"
    "\tdma_buf_unmap_attachment(f->a, f->t, DMA_FROM_DEVICE);\n}\n",
    "attaches": "int m%d(struct frob *f)\n{\n\tf->a = dma_buf_attach(f->b, f->d);\n"
    "\tf->t = dma_buf_map_attachment(f->a, DMA_TO_DEVICE);\n\treturn 0;\n}\n",
    "frags": "int m%d(struct sk_buff *skb, skb_frag_t *f)\n{\n"
    "\tif (skb_shinfo(skb)->nr_frags > 8 && skb_linearize(skb))\n"
    "\t\treturn cpu_to_le16(skb_frag_size(f));\n\tdev->netmem_tx = true;\n\treturn !netmem_address(nm);\n}\n",
    "walks": "int m%d(struct frob *f)\n{\n\tfor_each_sgtable_dma_sg(f->t, sg, i) {\n"
    "\t\tf->n += sg->length >> PAGE_SHIFT;\n"
    "\t\tlen = sg_dma_len(sg);\n\t}\n\treturn ilog2(len);\n}\n",
    "errnos": "int m%d(struct frob *f, struct netlink_ext_ack *extack)\n{\n\tint err;\n\n\terr = frob(f);\n"
    "\tif (err)\n\t\tgoto out;\n\tif (!f->ready)\n\t\treturn -EBUSY;\nout:\n\treturn -EINVAL;\n}\n",
    "provides": "static const struct memory_provider_ops o%d = { .init = a, .release_netmem = b };\n",
}


def cost(function: str, path: str, count: int) -> float:
    """CPU seconds of all rules on a patch that adds `count` functions, for one of them."""
    lines = "".join(function % number for number in range(count)).splitlines()
    diff = f"--- /dev/null\n+++ b/{path}\n@@ -0,0 +1,{len(lines)} @@\n" + "".join(f"+{line}\n" for line in lines)
    head = f"---\n\ndiff --git a/{path} b/{path}\nnew file mode 100644\nindex 000000000000..111111111111\n"
    data = mail(b"[PATCH] frob: add", 1, f"Add.\n{head}{diff}".encode())
    read = parse_mail(data, "test", 0, lambda: data)
    assert isinstance(read, Mail)
    assembly = assemble([read])
    opened = [open_series(outline) for lineage in assembly.lineages for outline in lineage.outlines]
    start = time.process_time()
    report = review(assembly, opened, RULES, ())
    spent = time.process_time() - start
    assert report.complete
    return spent / count


@pytest.mark.parametrize("path", ["net/core/frob.c", "drivers/net/frob.c"])
@pytest.mark.parametrize("shape", FUNCTIONS)
def test_a_function_costs_the_same_in_a_large_file(shape: str, path: str) -> None:
    function = FUNCTIONS[shape]
    growth = [cost(function, path, FEW * TIMES) / cost(function, path, FEW) for _ in range(2)]
    assert min(growth) < SLOWEST
