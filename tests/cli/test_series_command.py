"""`reviewer series`: mail in, what was found out, as text and as JSON."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from reviewer.cli import main

ROOT = Path(__file__).parents[2]
ADA, OLA, RITA = "Ada Example <ada@frob.example>", "Ola Example <ola@x.example>", "Rita Example <rita@x.example>"
BOT = "patchwork-bot+frob@bots.example"
DIFF = (
    "diff --git a/frob.c b/frob.c\nindex 1111111..2222222 100644\n--- a/frob.c\n+++ b/frob.c\n"
    "@@ -1,3 +1,3 @@ int frob(void)\n {\n-\treturn 1;\n+\treturn 2;\n }\n"
)
OTHER_DIFF = DIFF.replace("return 2", "return 3")


def mail(ident: str, subject: str, body: str, *, parent: str = "", sender: str = ADA, day: int = 1) -> str:
    parents = f"In-Reply-To: <{parent}@frob.example>\nReferences: <{parent}@frob.example>\n" if parent else ""
    return (
        f"From mboxrd@z Thu Jan  1 00:00:00 1970\nFrom: {sender}\nSubject: {subject}\n"
        f"Date: {day} Feb 2026 10:00:00 +0000\nMessage-ID: <{ident}@frob.example>\n{parents}"
        f"Content-Type: text/plain; charset=utf-8\n\n{body}\n\n"
    )


def patch(ident: str, subject: str, *, parent: str = "", day: int = 1, tags: str = "", note: str = "") -> str:
    body = f"It is needed.\n\nSigned-off-by: {ADA}\n{tags}---\n{note}\n{DIFF}"
    return mail(ident, subject, body, parent=parent, day=day)


def series(version: int, day: int, *, holes: tuple[int, ...] = (), note: str = "") -> str:
    tag = f"PATCH net-next v{version}" if version > 1 else "PATCH net-next"
    made = [mail(f"v{version}-0", f"[{tag} 0/3] net: frob: count slots", f"Count.\n\n{note}", day=day)]
    for number in (1, 2, 3):
        if number not in holes:
            title = f"[{tag} {number}/3] net: frob: step {number}"
            made.append(patch(f"v{version}-{number}", title, parent=f"v{version}-0", day=day))
    return "".join(made)


def reply(ident: str, parent: str, body: str, *, sender: str = OLA, day: int = 2) -> str:
    return mail(ident, "Re: [PATCH] whatever", body, parent=parent, sender=sender, day=day)


class Found:
    """Runs the command over mail and keeps what it printed."""

    def __init__(self, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self._path, self._capsys = folder / "list.mbox", capsys

    def text(self, mbox: str, *options: str) -> str:
        self._path.write_text(mbox)
        assert main(["series", str(self._path), *options]) == 0
        said = self._capsys.readouterr()
        assert said.err == ""
        assert all(len(line) <= 80 or " " not in line.strip() for line in said.out.splitlines())
        return said.out

    def json(self, mbox: str, *options: str) -> dict[str, Any]:
        document: dict[str, Any] = json.loads(self.text_of_json(mbox, *options))
        jsonschema.validate(document, json.loads((ROOT / "docs" / "report.schema.json").read_text()))
        return document

    def text_of_json(self, mbox: str, *options: str) -> str:
        self._path.write_text(mbox)
        assert main(["series", str(self._path), "--format", "json", *options]) == 0
        return self._capsys.readouterr().out


@pytest.fixture
def found(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Found:
    return Found(tmp_path, capsys)


def test_the_example_thread(capsys):
    assert main(["series", str(ROOT / "examples" / "thread.mbox")]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "net: frob: receive into slots larger than a page"
    assert "  v2 by Ada Example, 2026-02-03: cover letter and 3 patches, complete" in lines
    assert "     2/3 net: frob: carve the dma-buf into slots of the chosen size" in lines
    assert "     tags: Reviewed-by Rita Example (patch 3)" in lines
    assert "     id: 20260203-frob-slots-v2-0-5c1d0e7a9b42@frob.example" in lines
    assert lines[-1] == "  applied: no mail says so"


def test_versions_of_one_series_stand_together_and_the_newest_lists_its_patches(found):
    text = found.text(series(1, 1) + series(2, 5, holes=(2,)))
    assert text.splitlines() == [
        "net: frob: count slots",
        "  v1 by Ada Example, 2026-02-01: cover letter and 3 patches, complete",
        "  v2 by Ada Example, 2026-02-05: cover letter and 2 of 3 patches, missing: 2",
        "     1/3 net: frob: step 1",
        "     3/3 net: frob: step 3",
        "     id: v2-0@frob.example",
        "  applied: no mail says so",
    ]


def test_several_series_are_counted(found):
    text = found.text(series(1, 1) + series(2, 5) + patch("fix", "[PATCH net] net: other: fix a leak"))
    assert text.startswith("2 series in 3 versions\n\n")
    assert "\n\nnet: other: fix a leak\n  v1 by Ada Example, 2026-02-01: 1 patch\n     id: fix@frob.example\n" in text


def test_a_version_that_is_only_linked_to_stands_in_its_place(found):
    link = "- Link to v2: https://lore.kernel.org/r/v2-0@frob.example"
    text = found.text(series(1, 1) + series(3, 9, note=f"Changes in v3:\n- more\n{link}"))
    order = [text.index(words) for words in ("v1 by", "v2 is known only from a link: v2-0@frob.example", "v3 by")]
    assert order == sorted(order)
    assert "not here" not in text


def test_versions_of_which_nothing_is_known(found):
    assert "\n  not here: v1-v3\n" in found.text(series(4, 1))


def test_an_rfc_is_called_so(found):
    text = found.text(patch("rfc", "[RFC PATCH] net: frob: try it"))
    assert "  RFC v1 by Ada Example" in text


def test_an_rfc_known_from_a_link(found):
    note = "RFC: https://lore.kernel.org/r/rfc@frob.example\n"
    assert "  an RFC is known only from a link: rfc@frob.example\n" in found.text(patch("p", "[PATCH] a: b", note=note))


def test_tags_with_who_gave_them_and_why_some_do_not_count(found):
    text = found.text(
        series(1, 1)
        + reply("r1", "v1-0", f"Nice.\n\nAcked-by: {OLA}")
        + reply("r2", "v1-2", f"Reviewed-by: {RITA}", sender=RITA, day=3)
        + reply("r3", "v1-3", f"Tested-by: {RITA}")
    )
    assert "tags: Acked-by Ola Example (all patches), Reviewed-by Rita Example (patch 2) not" in " ".join(text.split())
    assert "     not counted: Tested-by Rita Example (patch 3): sender is Ola Example\n" in text
    assert "     talk: Ola Example (2), Rita Example; last 2026-02-03\n" in text


def test_an_older_version_names_the_tags_that_the_next_one_lost(found):
    text = found.text(
        series(1, 1)
        + reply("r1", "v1-1", f"Acked-by: {OLA}")
        + reply("r2", "v1-2", f"Reviewed-by: {RITA}", sender=RITA)
        + series(2, 5).replace(DIFF, OTHER_DIFF)
        + reply("r3", "v2-1", f"Acked-by: {OLA}", day=6)
    )
    assert "     not carried on: Reviewed-by Rita Example (patch 2)\n" in text
    assert "     tags: Acked-by Ola Example (patch 1)\n" in text


def test_a_tag_stays_with_a_patch_whose_diff_is_the_same(found):
    text = found.text(
        patch("p1", "[PATCH net-next] net: frob: count slots")
        + reply("r1", "p1", f"Acked-by: {OLA}")
        + patch("p2", "[PATCH net-next v2] net: frob: count slots", day=5)
    )
    assert "not carried on" not in text
    assert text.count("Acked-by Ola Example") == 1


def test_objections_stand_apart_with_their_words(found):
    text = found.text(
        series(1, 1)
        + reply("r1", "v1-2", "NAK, this breaks those who mapped it twice.")
        + reply("r2", "v1-3", f"Nacked-by: {RITA}", sender=RITA)
    )
    assert '     objections: NAK Ola Example (patch 2): "NAK, this breaks those who' in text
    assert "Nacked-by Rita Example (patch 3)" in " ".join(text.split())
    assert "not counted" not in text


def test_bots_are_no_people(found):
    robot = "kernel test robot <lkp@bots.example>"
    text = found.text(series(1, 1) + reply("b", "v1-1", "kernel test robot noticed errors", sender=robot))
    assert "     bots: kernel test robot\n" in text
    assert "talk:" not in text


def test_many_people_are_cut_short(found):
    people = [f"P{number} Example <p{number}@x.example>" for number in range(7)]
    text = found.text(
        series(1, 1) + "".join(reply(f"r{at}", "v1-0", "Hm.", sender=one) for at, one in enumerate(people))
    )
    assert "talk: P0 Example, P1 Example, P2 Example, P3 Example and 3 more; last" in text


def test_other_mail_below_a_series_is_counted(found):
    pull = mail("pull", "[GIT PULL] frob", "Please pull.", parent="v1-0", sender=RITA, day=2)
    assert "     besides: 1 other mail\n" in found.text(series(1, 1) + pull)


def applied(numbers: dict[int, bool], version: int, day: int) -> str:
    lines = [
        f"  - [net-next,v{version},{number}/3] net: frob: step {number}\n"
        f"    {'https://git.example/c/0123456789ab' if went_in else '(no matching commit)'}"
        for number, went_in in numbers.items()
    ]
    body = "\n".join(["Hello:", "", "This series was applied to frob.git (main)", "", *lines])
    return mail(f"git-patchwork-notify.{day}", "Re: [PATCH 0/3] it", body, parent=f"v{version}-0", sender=BOT, day=day)


def test_a_series_that_went_in(found):
    mbox = series(1, 1) + series(2, 5) + applied({1: True, 2: True, 3: True}, 2, 9)
    assert found.text(mbox).endswith("\n  applied: v2, says patchwork-bot+frob@bots.example, 2026-02-09\n")
    assert found.json(mbox)["lineages"][0]["applied"] == "git-patchwork-notify.9@frob.example"


def test_a_series_that_went_in_by_half(found):
    mbox = series(1, 1) + applied({1: True, 2: False, 3: True}, 1, 3)
    text = found.text(mbox)
    assert "  applied in part: v1, patches 1, 3, says patchwork-bot+frob@bots.example," in text
    assert found.json(mbox)["lineages"][0]["applied"] is None
    assert found.text(mbox + series(2, 5), "--revision", "2").count("applied in part: v1, of its patches 1, 3") == 1


def test_a_patch_sent_again_without_a_counter_goes_in_under_its_number(found):
    again = patch("again", "[PATCH net-next v2] net: frob: step 2", parent="v1-2", day=2)
    text = found.text(series(1, 1) + again + applied({1: False, 2: True, 3: False}, 1, 3))
    assert "\n     2/3 net: frob: step 2\n" in text
    assert "  applied in part: v1, patch 2, says patchwork-bot+frob@bots.example," in text


def test_mail_that_belongs_to_no_series(found):
    chat = [mail(f"c{at}", f"Hello {at}", "Hi.", sender=RITA, day=at + 1) for at in range(12)]
    text = found.text(series(1, 1) + "".join(chat))
    assert "\n\n12 mails in no series:\n  other: Hello 0 (Rita Example, 2026-02-01)\n" in text
    assert text.endswith("  and 2 more: --format json names them\n")


def test_left_over_mail_is_no_part_of_a_question_about_one_series(found):
    assert "in no series" not in found.text(
        series(1, 1) + mail("c", "Hello", "Hi."), "--message-id", "v1-2@frob.example"
    )


def test_a_mail_picks_its_series_with_all_versions(found):
    mbox = series(1, 1) + series(2, 5) + patch("fix", "[PATCH net] net: other: fix a leak")
    text = found.text(mbox, "--message-id", "<v2-3@frob.example>")
    assert "v1 by" in text
    assert "other" not in text
    only = found.text(mbox, "--message-id", "<v2-3@frob.example>", "--revision", "latest")
    assert "v1 by" not in only
    assert "  not shown: v1\n" in only


def test_a_revision_picks_what_is_listed(found):
    text = found.text(series(1, 1) + series(2, 5), "--revision", "1")
    assert "     1/3 net: frob: step 1\n     2/3" in text
    assert "v2 by" not in text


def test_since_keeps_to_series_that_somebody_wrote_about(found):
    old = patch("fix", "[PATCH net] net: other: fix a leak", day=1)
    mbox = series(1, 1) + old + reply("late", "v1-2", "Sorry, late.", day=20) + mail("c", "Hello", "Hi.", day=2)
    text = found.text(mbox, "--since", "2026-02-10")
    assert "net: frob: count slots" in text
    assert "other" not in text
    assert "in no series" not in text


def test_nothing_since_is_an_answer(found):
    text = found.text(series(1, 1), "--since", "2026-02-10")
    wanted = "notice: no series has mail since 2026-02-10; the newest is of 2026-02-01"
    assert " ".join(text.split()) == wanted
    document = found.json(series(1, 1), "--since", "2026-02-10")
    assert document["series"] == []
    assert [notice["code"] for notice in document["notices"]] == ["nothing-since"]


def test_a_review_keeps_to_what_is_recent_too(tmp_path, capsys):
    path = tmp_path / "list.mbox"
    path.write_text(series(1, 1) + patch("fix", "[PATCH net] net: other: fix a leak", day=20))
    assert main(["review", str(path), "--since", "2026-02-10", "--fail-on", "never"]) == 0
    text = capsys.readouterr().out
    assert text.startswith("net: other: fix a leak\n")
    assert "count slots" not in text
    assert main(["review", str(path), "--since", "2026-03-10"]) == 0
    assert capsys.readouterr().out.startswith("notice: no series has mail since 2026-03-10; the newest")


def test_undated_mail_is_not_older(found):
    undated = series(1, 1).replace("Date: 1 Feb 2026 10:00:00 +0000\n", "")
    assert "v1 by Ada Example: cover letter" in found.text(undated, "--since", "2026-02-10")


def test_json_is_the_report_without_findings(found, tmp_path, capsys):
    mbox = series(1, 1) + series(2, 5) + reply("r1", "v2-0", f"Acked-by: {OLA}", day=6) + mail("c", "Hello", "Hi.")
    document = found.json(mbox)
    assert main(["review", str(tmp_path / "list.mbox"), "--format", "json", "--revision", "all", "--ignore", "DM"]) == 0
    reviewed = json.loads(capsys.readouterr().out)
    assert document["findings"] == []
    for key in ("schema", "lineages", "series", "mails"):
        assert document[key] == reviewed[key]
    assert {"message_id": "c@frob.example", "role": "other", "series": None} in document["mails"]


def test_mail_without_a_series_is_an_error_and_json_still_accounts_for_it(tmp_path, capsys):
    path = tmp_path / "talk.mbox"
    path.write_text(mail("c", "Hello", "Hi."))
    assert main(["series", str(path)]) == 2
    said = capsys.readouterr()
    assert (said.out, said.err.count("\n")) == ("", 1)
    for command in ("series", "review"):
        assert main([command, str(path), "--format", "json"]) == 2
        assert json.loads(capsys.readouterr().out)["mails"] == [
            {"message_id": "c@frob.example", "role": "other", "series": None}
        ]


def test_notices_stand_with_their_series_or_at_the_end(found):
    broken = "From mboxrd@z Thu Jan  1 00:00:00 1970\nSubject: \0\0\n\n\0\n\n"
    text = found.text(patch("p", "[PATCH 1/1] net: frob: empty").replace(DIFF, "") + series(1, 1) + broken)
    assert "     notice: [PATCH 1/1] net: frob: empty: holds no diff\n" in text
    assert text.rpartition("\n\n")[2].startswith("notice:")
    assert "no headers" in text


def test_hostile_words_are_inert(found):
    text = found.text(patch("p", "[PATCH] net: \x1b[31mfrob\x07: \u202eit") + mail("c", "Hello\x1b]0;", "Hi."))
    assert not any(ord(char) < 32 and char != "\n" for char in text)
    assert "\u202e" not in text


def test_the_template_can_be_replaced(found, tmp_path):
    folder = tmp_path / "mine"
    folder.mkdir()
    (folder / "series.j2").write_text("{% for one in found.lineages %}{{ one.title }}\n{% endfor %}")
    assert found.text(series(1, 1), "--templates", str(folder)) == "net: frob: count slots\n"


def test_the_report_can_go_to_a_file(tmp_path, capsys):
    path, output = tmp_path / "list.mbox", tmp_path / "out.txt"
    path.write_text(series(1, 1))
    assert main(["series", str(path), "-o", str(output)]) == 0
    assert capsys.readouterr().out == ""
    assert output.read_text().startswith("net: frob: count slots\n")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--format", "markdown"], "markdown"),
        (["--since", "soon"], "no date: soon"),
        (["--revision", "9"], "no version 9"),
        (["--message-id", "nobody@x.example"], "nobody@x.example"),
        (["--message-id", "c@frob.example"], "belongs to no series"),
        (["--select", "DM3"], "--select"),
    ],
)
def test_wrong_options_are_one_line(tmp_path, capsys, options, words):
    path = tmp_path / "list.mbox"
    path.write_text(series(1, 1) + mail("c", "Hello", "Hi."))
    assert main(["series", str(path), *options]) == 2
    said = capsys.readouterr()
    assert words in said.err
    assert (said.out, said.err.count("\n")) == ("", 1)


def test_every_real_series_is_shown(corpus, capsys):
    assert main(["series", *map(str, sorted((corpus / "seed").glob("*.mbox")))]) == 0
    text = capsys.readouterr().out
    assert "v5 by" in text
    assert "v2 is known only from a link" in text
