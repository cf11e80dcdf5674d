"""`reviewer compare`: mail in, text, Markdown and JSON out."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from compare_story import ADA, Story, diff, finding
from referencing import Registry, Resource

from reviewer.cli import main
from reviewer.errors import UsageError
from reviewer.report.compare_lines import MOST, range_views
from reviewer.report.compare_report import render_comparisons
from reviewer.series.rangediff import RangeLine

DOCS = Path(__file__).parents[2] / "docs"
COUNT = ("net: frob: count slots", diff("net/a.c", "frob_count_slots(fb)", "frob_count_all_slots(fb)"))
MAP = ("net: frob: map slots", diff("net/b.c", "frob_map_slots(fb)", "frob_map_all_slots(fb)", function="frob_bind"))
FEW = (COUNT[0], COUNT[1].replace("frob_count_slots", "frob_count_few"))
ACKED = "Acked-by: Rita Example <rita@x.example>\n"
QUESTION = "> +\tfrob_count_slots(fb);\n\nWhy are all of them counted here?\n"


@pytest.fixture
def story() -> Story:
    """Three versions with something of everything."""
    made = Story()
    made.version(1, [COUNT, MAP], text="It takes 5 ms.\n")
    made.reply("q@x.example", "v1-1@frob.example", QUESTION)
    made.reply("a@x.example", "v1-2@frob.example", ACKED)
    notes = "Changes in v2:\n- drop the patch that lets frob map slots, it is in\n- count few with frob_count_few()\n"
    made.version(2, [FEW], text="It takes 4 ms.\n", notes=notes)
    made.version(3, [FEW], text="It takes 4 ms.\n", notes="Changes in v3:\n- use frob_count_few() at once\n")
    return made


class Runner:
    def __init__(self, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.path, self._capsys = folder / "t.mbox", capsys

    def __call__(self, story: Story, *options: str, code: int = 0) -> str:
        self.path.write_bytes(story.mbox())
        assert main(["compare", str(self.path), *options]) == code
        said = self._capsys.readouterr()
        return said.err if code else said.out


@pytest.fixture
def run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Runner:
    return Runner(tmp_path, capsys)


def test_the_latest_pair_by_default(run: Runner, story: Story) -> None:
    text = run(story)
    assert text.startswith("net: frob: count\n  v2 (2026-02-02, 1 patch) -> v3 (2026-02-03, 1 patch)\n")
    assert "  1/1 -> 1/1 the same: net: frob: count slots\n" in text
    assert (
        'changelog and change disagree\n  "use frob_count_few() at once": nothing near frob_count_few differs\n' in text
    )


def test_one_version_against_the_one_before(run: Runner, story: Story) -> None:
    text = run(story, "--revision", "2")
    assert "  2/2 -> - dropped: net: frob: map slots\n    changelog: drop the patch that lets frob map slots" in text
    assert "  changed: question of Rita Example on 1/2" in text
    assert "  went with its patch: Acked-by Rita Example (patch 2 of v1)\n" in text
    assert "numbers in the cover letter\n  was: It takes 5 ms.\n    is: It takes 4 ms.\n" in text
    assert "difference of 1/1 net: frob: count slots\n  code: 1 line new, 1 gone\n" in text
    assert "    -+        frob_count_slots(fb);\n    ++        frob_count_few(fb);\n" in text


def test_what_a_later_version_did_is_told_last(run: Runner) -> None:
    made = Story()
    made.version(1, [COUNT, MAP])
    made.reply("q@x.example", "v1-2@frob.example", "> +\tfrob_map_all_slots(fb);\n\nWhy are all of them mapped here?\n")
    kept = (MAP[0], MAP[1].replace("frob_map_all_slots", "frob_map_few"))
    made.version(2, [COUNT, kept])
    made.version(3, [COUNT])
    text = run(made, "--revision", "all")
    assert "v2 has `frob_map_few(fb);` in place of `frob_map_all_slots(fb);`\n" in text
    same = Story(made.mails[:4])
    same.version(2, [COUNT, MAP])
    same.version(3, [COUNT])
    text = run(same, "--revision", "all")
    assert "  changed: question of Rita Example on 2/2" in text
    assert "    the patch is not in v3, and what was said of it lapses\n" in text


def test_an_answer_is_the_evidence_that_somebody_answered(run: Runner) -> None:
    made = Story()
    made.version(1, [COUNT])
    made.reply("q@x.example", "v1-1@frob.example", QUESTION)
    made.reply("a@x.example", "q@x.example", "> Why are all of them counted here?\n\nThey are few.\n", by=ADA)
    made.version(2, [COUNT])
    assert "  answered: question of Rita Example on 1/1" in run(made)
    assert "    the author answers: `They are few.`\n" in run(made)


def test_patches_without_a_counter_are_counted(run: Runner) -> None:
    made = Story()
    for version in ("", " v2"):
        mark = f"[PATCH{version}]"
        body = COUNT[1] if version else FEW[1]
        made.send(
            f"one{version.strip()}@frob.example",
            f"{mark} net: frob: count",
            f"Needed.\n\nSigned-off-by: {ADA}\n---\n{body}",
        )
    assert "  1/1 -> 1/1 changed: net: frob: count\n" in run(made)


def test_cover_letters_alone(run: Runner) -> None:
    made = Story()
    for version in (1, 2):
        made.version(version, [COUNT, MAP], text=f"It takes {version} ms.\n", holes=(1, 2))
    assert "\npatches: there are not enough here to compare\n\nnumbers in the cover letter\n" in run(made)


def test_many_patches_that_are_the_same_are_told_of_at_once(run: Runner) -> None:
    def steps(*numbers: int) -> list[tuple[str, str]]:
        return [
            (f"net: frob: step {at}", diff(f"net/{at}.c", f"frob_{at}(fb)", f"frob_more_{at}(fb)")) for at in numbers
        ]

    made = Story()
    made.version(1, steps(*range(1, 10)))
    made.version(2, [*steps(1, 2, 3), FEW, *steps(5, 6, 8, 7, 9)])
    patches = run(made).partition("patches\n")[2].partition("\n\n")[0].rstrip("\n").split("\n")
    assert patches[0] == "  1-3/9 -> 1-3/9 the same"
    assert patches[1:3] == ["  4/9 -> - dropped: net: frob: step 4", "  - -> 4/9 added: net: frob: count slots"]
    assert patches[3:] == [
        "  5/9 -> 5/9 the same: net: frob: step 5",
        "  6/9 -> 6/9 the same: net: frob: step 6",
        "  8/9 -> 7/9 the same, moved: net: frob: step 8",
        "  7/9 -> 8/9 the same: net: frob: step 7",
        "  9/9 -> 9/9 the same: net: frob: step 9",
    ]
    few = Story()
    few.version(1, steps(*range(1, 9)))
    few.version(2, steps(*range(1, 9)))
    assert "  8/8 -> 8/8 the same: net: frob: step 8\n" in run(few)
    assert len(json.loads(run(made, "--format", "json"))["pairs"][0]["patches"]) == 10


def test_every_pair_and_that_of_a_mail(run: Runner, story: Story) -> None:
    every = run(story, "--revision", "all")
    assert [line for line in every.split("\n") if " -> v" in line] == [
        "  v1 (2026-02-01, 2 patches) -> v2 (2026-02-02, 1 patch)",
        "  v2 (2026-02-02, 1 patch) -> v3 (2026-02-03, 1 patch)",
    ]
    assert " -> v2 (" in run(story, "--message-id", "<q@x.example>")
    assert " -> v2 (" in run(story, "--message-id", "v2-1@frob.example")
    assert " -> v3 (" in run(story, "--message-id", "v2-1@frob.example", "--revision", "3")


def test_json_holds_everything(run: Runner, story: Story) -> None:
    document: dict[str, Any] = json.loads(run(story, "--revision", "all", "--format", "json"))
    schema, report = (json.loads((DOCS / f"{name}.schema.json").read_text()) for name in ("compare", "report"))
    registry: Any = Registry().with_resource("report.schema.json", Resource.from_contents(report))
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.Draft202012Validator(schema, registry=registry).validate(document)
    first, second = document["pairs"]
    assert [patch["fate"] for patch in first["patches"]] == ["changed", "dropped"]
    assert [comment["state"] for comment in first["comments"]] == ["changed", "changed"]
    assert second["claims"][0]["names"] == ["frob_count_few"]


def test_one_version_is_not_enough(run: Runner) -> None:
    lone = Story()
    lone.version(2, [COUNT])
    assert run(lone, code=2) == 'reviewer: of "net: frob: count" only v2 is here; give the older version, too\n'
    other = Story(
        [mail.replace(b"frob", b"other").replace(b"Ada", b"Oda").replace(b"count", b"weigh") for mail in lone.mails]
    )
    both = Story([*lone.mails, *other.mails])
    assert "of each series only one version is here" in run(both, code=2)


def test_series_of_one_version_are_told_of(run: Runner, story: Story) -> None:
    lone = Story()
    lone.version(1, [COUNT])
    others = [
        mail.replace(b"frob", b"other").replace(b"Ada", b"Oda").replace(b"count", b"weigh") for mail in lone.mails
    ]
    text = run(Story([*story.mails, *others]))
    assert text.endswith("\nnotices\n  1 series of which only one version is here: nothing to compare\n")
    assert "1 series without a v2" in run(Story([*story.mails, *others]), "--revision", "2")


def test_what_cannot_be_asked_for(run: Runner, story: Story, tmp_path: Path) -> None:
    assert "no version 9 with one before it in the input, only v1, v2, v3" in run(story, "--revision", "9", code=2)
    assert "no version 1 with one before it" in run(story, "--revision", "1", code=2)
    assert "no format 'reply' here" in run(story, "--format", "reply", code=2)
    assert "no template folder" in run(story, "--templates", str(tmp_path / "absent"), code=2)
    assert "no series has mail since then" in run(story, "--since", "2027-01-01", code=2)
    assert run(story, "--since", "2026-02-01").startswith("net: frob: count\n")


def test_a_rule_that_crashes_makes_it_incomplete(run: Runner, story: Story, tmp_path: Path) -> None:
    folder = tmp_path / "more"
    folder.mkdir()
    (folder / "always_broken.py").write_text(BROKEN)
    run(story, "--rules", str(folder), "--select", "XX901", "-o", str(tmp_path / "out"), code=3)
    assert "XX901 always-broken crashed" in (tmp_path / "out").read_text()


BROKEN = '''
from collections.abc import Iterator
from reviewer.rule import Example, Message, MessageRule, Result

class AlwaysBroken(MessageRule):
    """Breaks."""
    id = "XX901"
    name = "always-broken"
    title = "breaks"
    level = "note"
    confidence = "low"
    category = "other"
    needs = ("mail",)
    why = "To see what happens."
    def check(self, message: Message) -> Iterator[Result]:
        raise ValueError("broken")
        yield
    @staticmethod
    def examples() -> tuple[Example, ...]:
        return ()
'''


# rendering


def hostile() -> Story:
    made = Story()
    bad = "net: \x1b[31m<b>@team</b> [x](http://evil.example) \u202e"
    for version in (1, 2):
        made.version(
            version,
            [(bad, diff("net/a.c", f'frob_{version}("\x1b[2J```<script>")', "frob_same(fb)"))],
            text=f"It takes {version} ms <i>\x1b[0m #{version}1 @all.\n",
            notes=f"Changes in v{version}:\n- use frob_same() \x1b[1m<u>now\n",
        )
        made.reply(f"q{version}@x.example", f"v{version}-1@frob.example", "> net\n\nWhy \x1b[5m<img src=x> @owner?\n")
    return made


def test_text_is_inert(run: Runner) -> None:
    text = run(hostile())
    assert not any(ord(char) < 32 and char != "\n" for char in text)
    assert "\u202e" not in text
    assert r"\x1b[2J" in text


def test_markdown_is_inert(run: Runner) -> None:
    text = run(hostile(), "--format", "markdown")
    assert text.startswith("### net: frob: count\n")
    fenced = False
    for line in text.split("\n"):
        if line.startswith("````"):
            fenced = not fenced
        elif not fenced:
            assert not any(bad in line for bad in ("<script", "<b>", "<img", "@team", "@owner", " [x]"))
    assert not fenced
    assert "\x1b" not in text


def test_json_is_inert(run: Runner) -> None:
    text = run(hostile(), "--format", "json")
    assert "\x1b" not in text
    assert "\u202e" not in text


def test_own_templates(run: Runner, story: Story, tmp_path: Path) -> None:
    (tmp_path / "compare.j2").write_text("{{ found.pairs[0].new.version }} {{ found.pairs | length }}\n")
    assert run(story, "--templates", str(tmp_path)) == "3 1\n"
    (tmp_path / "compare.j2").write_text("{{ nothing }}")
    assert "compare.j2, line 1" in run(story, "--templates", str(tmp_path), code=2)


def test_findings_are_shown_by_confidence() -> None:
    made = Story()
    made.version(1, [COUNT, MAP])
    made.version(2, [COUNT])
    found = [
        finding("v1-2@frob.example", fingerprint="a"),
        finding("v1-1@frob.example", fingerprint="b", confidence="low"),
        finding("v1-0@frob.example", fingerprint="c", location=finding("x").location.__class__(kind="message")),
        finding("v1-1@frob.example", fingerprint="k", rule="DM001"),
        finding("v2-1@frob.example", fingerprint="k", rule="DM001"),
    ]
    one = made.compared(found)
    text = render_comparisons([one], (), "text", templates=None, min_confidence="high")
    assert "findings, besides 1 as before\n" in text
    assert "gone with its patch: warning DM302 errno-silently-changed, 2/2, net/frob.c:12:" in text
    assert "gone: warning DM302 errno-silently-changed, cover letter, message:" in text
    assert text.count("gone") == 2
    kept = render_comparisons([made.compared(found[3:])], (), "markdown", templates=None, min_confidence="high")
    assert "#### findings: the same 1 as before\n" in kept


def test_many_lines_are_cut_and_counted() -> None:
    lines = [RangeLine(outer="+", text=f"+line {at}") for at in range(MOST + 5)]
    view = range_views(lines, is_code=False)
    assert (len(view.lines), view.added, view.removed, view.more) == (MOST, MOST + 5, 0, 5)


def test_lines_left_out_within_a_hunk_leave_a_mark() -> None:
    text = [" ## a.c ##", "@@ a.c: f", "+a", *(f" {at}" for at in range(9)), "+b", "@@ a.c: g", " c"]
    view = range_views([RangeLine(outer="+" if one in ("+a", "+b") else " ", text=one) for one in text], is_code=True)
    assert [line.text for line in view.lines] == [
        *("  ## a.c ##", " @@ a.c: f", "++a", "  0", "  1", " ...", "  7", "  8", "++b"),
    ]


def test_a_broken_template_is_the_users(tmp_path: Path, story: Story) -> None:
    (tmp_path / "compare.j2").write_text("{% if %}")
    with pytest.raises(UsageError):
        render_comparisons([story.compared()], (), "text", templates=tmp_path, min_confidence="low")


def test_rendering_is_quick() -> None:
    made = Story()
    patches = [
        (f"net: frob: step {at}", diff(f"net/{at}.c", *(f"frob_{at}_{no}(fb)" for no in range(60)))) for at in range(25)
    ]
    made.version(1, patches)
    made.version(2, [(title, text.replace("_7(", "_seven(")) for title, text in patches])
    one = made.compared()
    start = time.process_time()
    for form in ("text", "markdown", "json"):
        render_comparisons([one], (), form, templates=None, min_confidence="low")
    assert time.process_time() - start < 1.5


# real threads


def test_the_seed(corpus: Path, capsys: pytest.CaptureFixture[str]) -> None:
    seeds = [str(path) for path in sorted((corpus / "seed").glob("rx-buf-size-*.mbox"))]
    assert main(["compare", *seeds, "--revision", "all", "--format", "json"]) == 0
    pairs = json.loads(capsys.readouterr().out)["pairs"]
    assert [(pair["old"]["version"], pair["new"]["version"]) for pair in pairs] == [(1, 2), (2, 3), (3, 4), (4, 5)]
    gone = [one["old"]["rule"] for one in pairs[0]["findings"] if one["fate"] == "gone"]
    assert "DM302" in gone
    (dropped,) = [patch for patch in pairs[2]["patches"] if patch["fate"] == "dropped"]
    assert dropped["old"]["title"] == "udmabuf: emit one sg entry per pinned folio"
    assert any("already in net-next" in reason["text"] for reason in dropped["reasons"])
    assert [tag["fate"] for tag in pairs[2]["tags"]].count("lapsed") == 1
    assert [patch["fate"] for patch in pairs[3]["patches"]] == ["changed", "message", "same"]
    assert {claim["fate"] for pair in pairs for claim in pair["claims"]} == set()
    assert all(
        comment["state"] != "open" for pair in pairs for comment in pair["comments"] if comment["kind"] == "question"
    )
