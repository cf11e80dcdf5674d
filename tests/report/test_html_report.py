"""The page of --format html: what it holds, what it allows, what it draws."""

from __future__ import annotations

import re
from base64 import b64encode
from hashlib import sha256
from itertools import pairwise
from pathlib import Path
from typing import Any

import lxml.html
import pytest

from reviewer.cli import main
from reviewer.report import render

THREAD = Path(__file__).parents[2] / "examples" / "thread.mbox"
CHANGED = """\
diff --git a/drivers/net/frob/slots.c b/drivers/net/frob/slots.c
index 1111111..3333333 100644
--- a/drivers/net/frob/slots.c
+++ b/drivers/net/frob/slots.c
@@ -1,14 +1,14 @@
 int frob_1;
 int frob_2;
 int frob_3;
 int frob_4;
 int frob_5;
 int frob_6;
 int frob_7;
 int frob_8;
 int frob_9;
 int frob_10;
 int frob_11;
 int frob_12;
-int frob_a(int first);
+int frob_a(int second);
 int frob_13;
"""


@pytest.fixture(scope="module")
def example(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The page of the example thread."""
    return lxml.html.fromstring(_page(tmp_path_factory.mktemp("html") / "page.html", str(THREAD)))


def _page(path: Path, *arguments: str) -> str:
    assert main(["review", *arguments, "--format", "html", "-o", str(path)]) in (0, 1)
    return path.read_text(encoding="utf-8")


def _text(node: Any) -> str:
    return " ".join(node.text_content().split())


def test_the_policy_allows_the_style_and_the_script_of_the_page_and_nothing_else(example: Any) -> None:
    (policy,) = example.xpath("//meta[@http-equiv='Content-Security-Policy']/@content")
    (style,) = example.xpath("//style/text()")
    (script,) = example.xpath("//script/text()")
    hashes = [f"'sha256-{b64encode(sha256(one.encode()).digest()).decode()}'" for one in (style, script)]
    assert policy == (
        f"default-src 'none'; style-src {hashes[0]}; script-src {hashes[1]}; base-uri 'none'; form-action 'none'"
    )
    assert not example.xpath("//@style | //@src | //link | //base | //form | //iframe | //img")
    assert not [name for node in example.iter() for name in node.attrib if name.startswith("on")]
    assert {link[:1] for link in example.xpath("//@href")} == {"#"}


def test_links_lead_to_places_on_the_page_and_names_are_given_once(example: Any) -> None:
    names = example.xpath("//@id")
    assert len(names) == len(set(names))
    assert {link[1:] for link in example.xpath("//@href")} <= set(names)
    assert {word for one in example.xpath("//@aria-labelledby") for word in one.split()} <= set(names)


def test_landmarks_and_headings_are_in_order(example: Any) -> None:
    assert [len(example.xpath(f"//{name}")) for name in ("header", "nav", "main", "footer", "h1")] == [1] * 5
    levels = [int(node.tag[1]) for node in example.xpath("//h1 | //h2 | //h3 | //h4 | //h5 | //h6")]
    assert all(after <= before + 1 for before, after in pairwise(levels))


def test_the_verdict_comes_first(example: Any) -> None:
    head = _text(example.xpath("//header")[0])
    assert head.startswith("net: frob: receive into slots larger than a page v2 by Ada Example")
    assert "In the way: 1 unanswered question; 4 errors; 3 warnings" in head
    assert "In favour: tags on patch 3" in head


def test_findings_and_remarks_stand_below_their_lines(example: Any) -> None:
    (finding,) = example.xpath("//article[@data-rule='DM303']")
    (remark,) = example.xpath("//article[@data-state='open']")
    assert _text(finding.getprevious()).endswith("return -ENOTSUPP;")
    assert _text(remark.getprevious()).endswith("};")
    assert "Is there hardware that takes some of the sizes" in _text(remark)
    assert finding.xpath("ancestor::details[1]/summary/code/text()") == ["drivers/net/frob/frob_netlink.c"]


def test_what_stands_in_the_list_of_findings_is_on_the_page(example: Any) -> None:
    listed = example.xpath("//ul[@class='index']/li[@data-rule]/@data-rule")
    assert sorted(listed) == sorted(example.xpath("//article/@data-rule"))
    options = example.xpath("//select[@data-filter='rule']/option/@value")
    assert options == ["", *sorted(set(listed))]


def test_names_of_errors_keep_their_dash(example: Any) -> None:
    (finding,) = example.xpath("//article[@data-rule='DM303']")
    assert finding.xpath(".//span[@class='option']/text()") == ["-ENOTSUPP", "-EOPNOTSUPP"]


def test_a_table_that_was_understood_is_drawn(example: Any) -> None:
    (figure,) = example.xpath("//figure")
    (table,) = example.xpath("//div[@class='bench']/pre")
    assert table.get("tabindex") == "0", "what scrolls can be reached with the keyboard"
    assert _text(figure.xpath("figcaption")[0]) == "before, after by slot"
    (drawing,) = figure.xpath("svg")
    assert _text(drawing.xpath("title")[0]) == "before, after by slot"
    assert "64K: before 81.2, after 104.4 (+32.6%)" in _text(drawing.xpath("desc")[0])


def test_what_changed_in_a_line_is_marked_and_long_context_is_folded(sample: Any) -> None:
    report = sample.report([sample.write("[PATCH] net: frob: it", sample.patch_body("It.", CHANGED), "a@frob.example")])
    page = lxml.html.fromstring(render(report, "html", templates=None, min_confidence="medium"))
    assert page.xpath("//span[@class='d']/mark/text()") == ["first"]
    assert page.xpath("//span[@class='a']/mark/text()") == ["second"]
    (file,) = page.xpath("//details[contains(@class, 'file')]")
    assert _text(file.xpath("summary")[0]) == "drivers/net/frob/slots.c +1 -1"
    (fold,) = file.xpath("details[@class='fold']")
    assert _text(fold.xpath("summary")[0]) == "9 unchanged lines"


def test_versions_stand_side_by_side(corpus: Path, tmp_path: Path) -> None:
    mails = [str(corpus / "seed" / f"rx-buf-size-v{version}.mbox") for version in range(1, 6)]
    page = lxml.html.fromstring(_page(tmp_path / "page.html", *mails, "--revision", "all"))
    rows = {
        _text(row.xpath("th")[0]): [_text(cell) for cell in row.xpath("td")] for row in page.xpath("//tr[th/@scope]")
    }
    dropped = next(cells for title, cells in rows.items() if title.startswith("udmabuf: emit one sg entry"))
    assert dropped[3] == "dropped"
    errno = next(cells for title, cells in rows.items() if "DM302" in title)
    assert errno == ["found", "gone", "", "", ""]
    said = [[_text(cell) for cell in row.xpath("td")] for row in page.xpath("//table[@class='said']/tbody/tr")]
    (question,) = (row for row in said if "change E2BIG to EINVAL" in row[1])
    assert "v2 has return -E2BIG; in place of return -EINVAL;" in question[2]


@pytest.mark.parametrize("word", ["</style><script>x</script>", "]]><svg/onload=x>", "</script>", "javascript:x"])
def test_a_subject_never_ends_what_it_stands_in(sample: Any, word: str) -> None:
    mail = sample.write(
        f"[PATCH] net: {word}", sample.patch_body(f"See {word}."), "a@frob.example", sender=f"{word} <a@b>"
    )
    page = lxml.html.fromstring(render(sample.report([mail]), "html", templates=None, min_confidence="low"))
    assert len(page.xpath("//script")) == len(page.xpath("//style")) == 1
    assert not page.xpath("//*[@onload] | //body//svg")
    assert not [link for link in page.xpath("//@href") if not link.startswith("#")]
    assert word in page.text_content()


def test_lines_that_never_end_are_cut(sample: Any) -> None:
    long = sample.DIFF.replace("+\t\t fb->id);", "+\t\t " + "x" * 1_000_000 + ");")
    mail = sample.write("[PATCH] net: frob: it", sample.patch_body("It.", long), "a@frob.example")
    page = render(sample.report([mail]), "html", templates=None, min_confidence="low")
    assert len(page) < 100_000
    assert not re.search("x{5000}", str(page))
