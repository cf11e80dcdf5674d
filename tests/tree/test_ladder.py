"""Pre-images by id, from earlier patches, from a base; post-images that hash to what the patch says."""

from __future__ import annotations

from pathlib import Path

import pytest
from driver import HEAD, MAIN, SLOTS, Tree, climb, contexts, driver_tree, function, opened, rungs, source
from gitmaking import git, init, snapshot

from reviewer.code.ladder import Ladder
from reviewer.code.versions import Tree as Wanted
from reviewer.diff.patchid import patch_id
from reviewer.repository import Repository

FIRST = ("\tint left = 3;\n", "\tint left = 33;\n")
SECOND = ("\t\tfrob_poke(fb, arg + 3);\n", "\t\tfrob_poke(fb, arg + 4);\n")


def three_patches(tree: Tree) -> list[bytes]:
    tree.edit("frob: first", MAIN, FIRST)
    tree.edit("frob: second", MAIN, SECOND)
    tree.commit("frob: third", {SLOTS: source(101, 7), "drivers/net/frob/new.c": function(500)})
    return tree.mails()


def test_every_post_image_hashes_to_what_the_patch_says(tree: Tree) -> None:
    series = opened(three_patches(tree))
    code = climb(series, tree.folder)
    assert rungs(code) == [("blob", ""), ("blob", ""), ("new", ""), ("blob", "")]
    after = [one.after for seen in code.patches for one in seen.codes if one is not None]
    assert after[1].decode() == source(1, 8).replace(*FIRST).replace(*SECOND)
    assert after[2].decode() == function(500)


def test_later_pre_images_come_from_earlier_patches(tree: Tree) -> None:
    mails = three_patches(tree)
    tree.only(tree.base)
    code = climb(opened(mails), tree.folder)
    assert rungs(code) == [("blob", ""), ("blob", ""), ("new", ""), ("blob", "")]


def test_without_a_tree_new_files_are_followed(clone: Tree) -> None:
    path = "drivers/net/frob/new.c"
    clone.commit("frob: add", {path: function(500)})
    clone.edit("frob: change", path, ("int left", "long left"))
    clone.edit("frob: change something else", MAIN, FIRST)
    code = climb(opened(clone.mails()), None)
    assert rungs(code) == [("new", ""), ("blob", ""), ("hunk", "")]
    assert code.trial.state == "not-tried"
    assert code.trial.reason == "no-tree"


def test_a_hunk_that_shows_all_of_a_file_needs_no_tree(clone: Tree) -> None:
    clone.edit("frob: first", MAIN, FIRST)
    clone.edit("frob: second", MAIN, SECOND)
    assert rungs(climb(opened(clone.mails("-U9999")), None)) == [("blob", ""), ("blob", "")]


def test_a_file_that_is_not_there_any_more_is_found_by_its_id(clone: Tree) -> None:
    clone.edit("frob: first", MAIN, FIRST)
    mails = clone.mails()
    git(clone.folder, "rm", "-q", MAIN)
    clone.commit("frob: remove", {})
    assert rungs(climb(opened(mails), clone.folder)) == [("blob", "")]


@pytest.fixture(scope="module", params=["sha1", "sha256"])
def busy(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Tree:
    """Changes of many kinds, and a bare clone beside it that knows the base only."""
    folder = tmp_path_factory.mktemp("busy")
    tree = driver_tree(folder / "clone", request.param)
    git(folder, "clone", "-q", "--bare", str(tree.folder), "base.git")
    tree.edit("frob: first", MAIN, FIRST)
    tree.edit("frob: top", MAIN, ("// SPDX-License-Identifier: GPL-2.0\n", ""))
    git(tree.folder, "mv", SLOTS, "drivers/net/frob/ring.c")
    tree.edit("frob: rename", "drivers/net/frob/ring.c", ("int left = 103", "int left = 3"))
    git(tree.folder, "rm", "-q", HEAD)
    tree.commit("frob: last", {MAIN: source(1, 9)})
    return tree


@pytest.mark.parametrize(
    "options",
    [
        ("--no-prefix",),
        ("--src-prefix=old/", "--dst-prefix=new/"),
        ("-U0",),
        ("-U1",),
        ("-W",),
        ("--full-index",),
        ("--abbrev=7",),
        ("-M",),
        ("--no-renames",),
        ("--patience",),
        ("--attach",),
        ("--base=HEAD~4",),
    ],
    ids=" ".join,
)
def test_any_way_of_making_patches(busy: Tree, options: tuple[str, ...]) -> None:
    seen = rungs(climb(opened(busy.mails(*options)), busy.folder.parent / "base.git"))
    assert {rung for rung, _ in seen} <= {"blob", "new"}
    assert {problem for _, problem in seen} == {""}


def test_odd_line_ends(tree: Tree) -> None:
    texts = ("int frob;", "int frob;\r\nint b;\r\nint c;\r\n", "int b;\r\n" * 9, "\n", "int x; /* \u00e9 */\n")
    files = {f"{number}.c": text.encode() for number, text in enumerate(texts)}
    base = tree.commit("frob: odd", files)
    for added in (b"int x;\nint frob;", b"\nint b;\nint x;\n"):
        for path, text in files.items():
            files[path] = text + (added.replace(b"\n", b"\r\n") if b"\r" in text else added)
        tree.commit("frob: change", files)
    git(tree.folder, "rm", "-q", *files)
    tree.commit("frob: remove", {})
    mails = tree.mails(since=base)
    tree.only(base)
    for sent in (mails, [mail.replace(b"\r\n", b"\n") for mail in mails]):
        assert rungs(climb(opened(sent), tree.folder)) == [("blob", "")] * 15


def test_modes_and_binary_files(tree: Tree) -> None:
    path = "tools/frob.sh"
    base = tree.commit("frob: tool", {path: "#!/bin/sh\n", "logo.bin": bytes(range(256))})
    (tree.folder / path).chmod(0o755)
    tree.commit("frob: mode", {})
    tree.commit("frob: logo", {"logo.bin": bytes(range(255, -1, -1))})
    tree.edit("frob: script", path, ("#!/bin/sh\n", "#!/bin/sh\nfrob\n"))
    series = opened(tree.mails(since=base))
    assert rungs(climb(series, tree.folder, base=base)) == [("named", ""), ("hunk", "binary"), ("blob", "")]


def rebased(clone: Tree) -> tuple[list[bytes], Tree]:
    """Two patches, and another repository that has the driver with more above the functions that they change."""
    clone.edit("frob: first", MAIN, FIRST)
    clone.edit("frob: second", MAIN, SECOND)
    mails = clone.mails()
    text = "/* More. */\n" + source(1, 8)
    other = Tree(folder=init(clone.folder.parent / "other"), base="")
    other = Tree(folder=other.folder, base=other.commit("frob: add it", {MAIN: text}))
    return mails, other


def test_a_named_base_is_applied_to_by_context(clone: Tree) -> None:
    mails, other = rebased(clone)
    code = climb(opened(mails), other.folder, base="main")
    assert [(one.rung, one.problem, one.offset, one.fuzz) for one in contexts(code)] == [
        ("named", "hash-differs", 1, 0),
        ("named", "hash-differs", 1, 0),
    ]
    (last,) = code.patches[1].codes
    assert last is not None
    assert last.shifts == (1,)
    assert last.after.decode() == "/* More. */\n" + source(1, 8).replace(*FIRST).replace(*SECOND)
    assert (code.trial.state, code.trial.revision, code.trial.commit) == ("applies", "main", other.base)
    assert (code.trial.offset, code.trial.fuzz) == (1, 0)


def test_the_base_commit_of_the_mail_comes_first(clone: Tree) -> None:
    mails, other = rebased(clone)
    told = [mail.replace(b"\n-- \n", b"\n\nbase-commit: %s\n-- \n" % other.base.encode()) for mail in mails]
    code = climb(opened(told), other.folder, base="main")
    assert {one.rung for one in contexts(code)} == {"base"}
    assert code.trial.revision == other.base


def test_the_branch_of_the_subject_s_tag(clone: Tree) -> None:
    mails, other = rebased(clone)
    tagged = [mail.replace(b"[PATCH ", b"[PATCH net-next ") for mail in mails]
    with Repository.open(other.folder) as repository:
        ladder = Ladder(repository=repository, tree=Wanted(branches={"net-next": "refs/heads/main", "net": "x"}))
        assert {one.rung for one in contexts(ladder.climb(opened(tagged)))} == {"named"}


def test_fuzz_is_reported(clone: Tree) -> None:
    mails, other = rebased(clone)
    other.edit(
        "frob: near",
        MAIN,
        ("\tint left = 3;\n\tint err;\n\n\tif (!fb->dev)", "\tint left = 3;\n\tint err;\n\n\tif (!fb)"),
    )
    code = climb(opened(mails), other.folder, base="main")
    assert [one.fuzz for one in contexts(code)] == [1, 0]
    assert (code.trial.state, code.trial.fuzz) == ("applies", 1)


def test_what_does_not_apply_is_named(clone: Tree) -> None:
    mails, other = rebased(clone)
    other.edit("frob: away", MAIN, ("\t\tfrob_poke(fb, arg + 3);\n", "\t\tfrob_prod(fb);\n"))
    code = climb(opened(mails), other.folder, apply_to="main")
    trial = code.trial
    assert (trial.state, trial.number, trial.file, trial.hunk, trial.reason) == (
        "does-not-apply",
        2,
        MAIN,
        1,
        "context",
    )
    assert trial.patch == opened(mails).patches[1].mail.message_id
    assert rungs(code) == [("hunk", "blob-missing"), ("hunk", "blob-missing")]


def test_a_series_that_went_in_is_told(clone: Tree) -> None:
    mails, _ = rebased(clone)
    trial = climb(opened(mails), clone.folder, apply_to="main").trial
    assert (trial.state, trial.number, trial.reason) == ("does-not-apply", 1, "applied-already")


@pytest.mark.parametrize(("revision", "reason"), [("nowhere", "no-commit"), ("--all", "no-commit"), (None, "no-base")])
def test_what_is_not_tried_is_told(clone: Tree, revision: str | None, reason: str) -> None:
    mails, _ = rebased(clone)
    trial = climb(opened(mails), clone.folder, apply_to=revision).trial
    assert (trial.state, trial.reason) == ("not-tried", reason)


def test_a_hole_in_the_series_ends_guessing(clone: Tree) -> None:
    clone.edit("frob: zeroth", MAIN, ("\tint left = 5;\n", "\tint left = 55;\n"))
    mails, other = rebased(clone)
    series = opened([mails[0], mails[2]])
    assert series.outline.missing == (2,)
    code = climb(series, other.folder, base="main")
    assert rungs(code) == [("named", "hash-differs"), ("hunk", "patch-missing")]
    assert code.trial.reason == "patch-missing"
    assert rungs(climb(series, clone.folder)) == [("blob", ""), ("blob", "")]


def test_a_patch_edited_by_hand_is_told(clone: Tree) -> None:
    clone.edit("frob: first", MAIN, FIRST)
    clone.edit("frob: second", MAIN, SECOND)
    mails = clone.mails()
    edited = [mails[0].replace(b"int left = 33;", b"int left = 34;"), mails[1]]
    clone.only(clone.base)
    assert rungs(climb(opened(edited), clone.folder)) == [("blob", "hash-differs"), ("base", "hash-differs")]


def test_prerequisites_that_the_sources_hold_go_below(clone: Tree) -> None:
    clone.edit("frob: below", MAIN, FIRST)
    (below,) = opened(clone.mails()).patches
    middle = git(clone.folder, "rev-parse", "HEAD")
    clone.edit("frob: above", MAIN, SECOND)
    mails = clone.mails("--base=HEAD~2", since=middle)
    assert b"prerequisite-patch-id: %s" % patch_id(below.files).encode() in mails[0]
    series = opened(mails)
    clone.only(clone.base)
    assert rungs(climb(series, clone.folder)) == [("base", "hash-differs")]
    with Repository.open(clone.folder) as repository:
        ladder = Ladder(
            repository=repository, find=lambda ids: [below.files] if ids == (patch_id(below.files),) else []
        )
        code = ladder.climb(series)
    assert rungs(code) == [("blob", "")]
    assert code.trial.state == "applies"


def test_one_process_for_all_of_it(clone: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(1, 9):
        clone.edit(f"frob: {number}", MAIN, (f"\tint left = {number};\n", f"\tint left = {number}0;\n"))
        clone.edit(f"frob: and {number}", HEAD, ("#endif\n", f"#define FROB_{number} 1\n#endif\n"))
    series = opened(clone.mails("--base=HEAD~16"))
    started: list[tuple[str, ...]] = []
    process = Repository._process
    lines = Repository._lines
    monkeypatch.setattr(Repository, "_process", lambda self, *a, **k: started.append(a) or process(self, *a, **k))
    monkeypatch.setattr(Repository, "_lines", lambda self, a: started.append(a) or lines(self, a))
    code = climb(series, clone.folder)
    assert len(rungs(code)) == 16
    assert code.trial.state == "applies"
    assert started == [("cat-file", "--batch")]


def test_nothing_of_the_clone_changes(clone: Tree) -> None:
    mails = three_patches(clone)
    before = snapshot(clone.folder)
    climb(opened(mails), clone.folder, base="main", apply_to="HEAD~3")
    assert snapshot(clone.folder) == before


def test_an_abbreviation_that_fits_several_blobs(clone: Tree) -> None:
    """Seven digits are not enough here: the one on which the patch gives the right post-image is taken."""
    ids: dict[str, str] = {}
    pair: tuple[str, str] | None = None
    from reviewer.diff.blob import blob_id

    for number in range(60_000):
        text = f"int frob_{number};\n" + "int b;\n" * 9 + "int c;\n"
        short = blob_id(text.encode())[:7]
        if short in ids:
            pair = (ids[short], text)
            break
        ids[short] = text
    assert pair is not None
    base = clone.commit("frob: twins", {"a.c": pair[0], "b.c": pair[1]})
    for path, text in zip(("a.c", "b.c"), pair, strict=True):
        clone.commit(f"frob: {path}", {path: text.replace("int c;", "int d;")})
    mails = [
        mail.replace(blob_id(text.encode()).encode(), short.encode())
        for mail, text in zip(clone.mails("--full-index", since=base), pair, strict=True)
    ]
    assert len(git(clone.folder, "rev-parse", f"--disambiguate={short}").split()) == 2
    assert rungs(climb(opened(mails), clone.folder)) == [("blob", ""), ("blob", "")]


def test_bare_packed_shallow_and_linked(clone: Tree, tmp_path: Path) -> None:
    mails = three_patches(clone)
    series = opened(mails)
    bare = tmp_path / "bare.git"
    git(tmp_path, "clone", "-q", "--bare", str(clone.folder), str(bare))
    git(bare, "repack", "-adq")
    shallow = tmp_path / "shallow"
    git(tmp_path, "clone", "-q", "--depth=1", f"file://{clone.folder}", str(shallow))
    linked = tmp_path / "linked"
    git(clone.folder, "worktree", "add", "-q", "--detach", str(linked), clone.base)
    expected = [("blob", ""), ("blob", ""), ("new", ""), ("blob", "")]
    assert rungs(climb(series, bare)) == expected
    assert rungs(climb(series, linked)) == expected
    assert rungs(climb(series, shallow)) == [
        ("hunk", "blob-missing"),
        ("hunk", "blob-missing"),
        ("new", ""),
        ("hunk", "blob-missing"),
    ]


def test_a_partial_clone_is_not_made_to_download(clone: Tree, tmp_path: Path) -> None:
    series = opened(three_patches(clone))
    git(clone.folder, "config", "uploadpack.allowFilter", "true")
    partial = tmp_path / "partial"
    git(tmp_path, "clone", "-q", "--bare", "--filter=blob:none", f"file://{clone.folder}", str(partial))
    before = snapshot(partial)
    assert {rung for rung, _ in rungs(climb(series, partial, base="main"))} == {"hunk", "new"}
    assert snapshot(partial) == before


def applied_to(clone: Tree, series_base: str, target: str) -> tuple[str, str | None, str]:
    trial = climb(opened(clone.mails(since=series_base)), clone.folder, apply_to=target).trial
    return trial.state, trial.file, trial.reason


def test_binary_files_apply_to_what_they_replace(clone: Tree) -> None:
    logo = "logo.bin"
    clone.commit("frob: logo", {logo: bytes(range(256))})
    first = git(clone.folder, "rev-parse", "HEAD")
    clone.commit("frob: other logo", {logo: bytes(range(255, -1, -1))})
    second = git(clone.folder, "rev-parse", "HEAD")
    clone.commit("frob: third logo", {logo: bytes(256)})
    assert applied_to(clone, clone.base, clone.base) == ("applies", None, "")
    assert applied_to(clone, first, first) == ("applies", None, "")
    assert applied_to(clone, first, second) == ("does-not-apply", logo, "context")
    assert applied_to(clone, first, clone.base) == ("does-not-apply", logo, "absent")
    assert applied_to(clone, clone.base, first) == ("does-not-apply", logo, "exists")


def test_renames_and_new_files_want_their_place_free(clone: Tree) -> None:
    git(clone.folder, "mv", MAIN, "drivers/net/frob/core.c")
    clone.commit("frob: rename", {})
    assert applied_to(clone, clone.base, clone.base) == ("applies", None, "")
    clone.commit("frob: new", {MAIN: function(1)})
    assert applied_to(clone, clone.base, "HEAD") == ("does-not-apply", "drivers/net/frob/core.c", "exists")
    clone.edit("frob: again", MAIN, ("left = 1", "left = 11"))
    assert applied_to(clone, clone.base, clone.base) == ("applies", None, "")
