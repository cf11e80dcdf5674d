"""The page of --format html in a real browser: quiet, without a request, with filters and keys that work, accessible.

Skipped where the Debian package chromium is not installed. Set REVIEWER_SCREENSHOTS to a folder to look at the pages.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, sync_playwright

from reviewer.cli import main

THREAD = Path(__file__).parents[2] / "examples" / "thread.mbox"
CHROMIUM = shutil.which("chromium")
SHOTS = os.environ.get("REVIEWER_SCREENSHOTS")
WIDTHS = (1280, 360)

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="the Debian package chromium is not installed")


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        found = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield found
        found.close()


@pytest.fixture(scope="module")
def example(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return _made(tmp_path_factory.mktemp("example") / "example.html", str(THREAD))


@pytest.fixture(scope="module")
def versions(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """All five versions of rx-buf-size."""
    seed = Path(__file__).parents[2].parent / "shared" / "corpus" / "seed"
    if not seed.is_dir():
        pytest.skip("the corpus is not here")
    mails = [str(seed / f"rx-buf-size-v{version}.mbox") for version in range(1, 6)]
    return _made(tmp_path_factory.mktemp("versions") / "versions.html", *mails, "--revision", "all")


@pytest.fixture(params=["example", "versions"])
def path(request: pytest.FixtureRequest) -> Path:
    found: Path = request.getfixturevalue(request.param)
    return found


def _made(path: Path, *arguments: str) -> Path:
    assert main(["review", *arguments, "--format", "html", "-o", str(path)]) in (0, 1)
    return path


@contextmanager
def opened(browser: Browser, path: Path, *, width: int = 1280, scheme: Any = "light") -> Iterator[Page]:
    """The page; afterwards it has said nothing on the console and asked for nothing but itself."""
    context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme)
    page = context.new_page()
    said: list[str] = []
    asked: list[str] = []
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    page.on("request", lambda request: asked.append(request.url))
    page.goto(path.as_uri())
    yield page
    context.close()
    assert said == []
    assert asked == [path.as_uri()]


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_nothing_is_in_the_way_of_anybody(browser: Browser, path: Path, width: int, scheme: str) -> None:
    with opened(browser, path, width=width, scheme=scheme) as page:
        assert page.evaluate("document.documentElement.scrollWidth") == width
        if SHOTS:
            page.screenshot(path=Path(SHOTS, f"{path.stem}-{scheme}-{width}.png"), full_page=True)
        found = Axe().run(page).response["violations"]
        assert [(one["id"], one["nodes"][0]["html"]) for one in found] == []


@pytest.fixture(scope="module")
def several(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two series with the same titles."""
    folder = tmp_path_factory.mktemp("several")
    copy = folder / "copy.mbox"
    copy.write_bytes(THREAD.read_bytes().replace(b"@frob.example", b"@copy.example"))
    return _made(folder / "several.html", str(THREAD), str(copy))


@pytest.mark.parametrize("name", ["example", "versions", "several"])
def test_what_is_folded_is_accessible_too(browser: Browser, name: str, request: pytest.FixtureRequest) -> None:
    with opened(browser, request.getfixturevalue(name)) as page:
        page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
        found = Axe().run(page).response["violations"]
        assert [(one["id"], one["nodes"][0]["html"]) for one in found] == []
        page.keyboard.press("?")
        assert Axe().run(page).response["violations"] == []


def test_filters_hide_and_show(browser: Browser, example: Path) -> None:
    with opened(browser, example) as page:
        shown = page.locator("#shown")
        notes = page.locator("article.note")
        every = notes.count()
        assert shown.inner_text() == f"{every} of {every} findings and comments shown"
        page.locator("input[value=error]").uncheck()
        assert page.locator("article[data-level=error]:visible").count() == 0
        assert page.locator("article[data-level=warning]:visible").count() == 3
        page.locator("input[value=error]").check()
        page.locator("select[data-filter=rule]").select_option("DM303")
        assert page.locator("article[data-level]:visible").count() == 1
        assert page.locator("article[data-state=open]:visible").count() == 1
        page.locator("select[data-filter=rule]").select_option("")
        page.locator("input[value=open]").uncheck()
        assert page.locator("article[data-state=open]:visible").count() == 0
        assert shown.inner_text() == f"{every - 1} of {every} findings and comments shown"


def test_keys_walk_over_findings_and_comments(browser: Browser, example: Path) -> None:
    with opened(browser, example) as page:
        notes = page.evaluate("[...document.querySelectorAll('article.note')].map((one) => one.id)")
        gone: list[str] = []
        for key in "jjk":
            page.keyboard.press(key)
            gone.append(page.evaluate("document.activeElement.id"))
        assert gone == [notes[0], notes[1], notes[0]]


def test_keys_walk_over_patches(browser: Browser, example: Path) -> None:
    with opened(browser, example) as page:
        patches = page.evaluate("[...document.querySelectorAll('.patch[id]')].map((one) => one.id)")
        gone: list[str] = []
        for key in "nnnp":
            page.keyboard.press(key)
            gone.append(page.evaluate("document.activeElement.id"))
        assert gone == [patches[0], patches[1], patches[2], patches[1]]


def test_hidden_notes_are_not_gone_to(browser: Browser, example: Path) -> None:
    with opened(browser, example) as page:
        page.locator("select[data-filter=rule]").select_option("DM303")
        page.locator("input[value=open]").uncheck()
        page.locator("input[value=other]").uncheck()
        page.evaluate("document.activeElement.blur()")
        page.keyboard.press("j")
        assert page.evaluate("document.activeElement.dataset.rule") == "DM303"
        page.keyboard.press("j")
        assert page.evaluate("document.activeElement.dataset.rule") == "DM303"


def test_help_opens_holds_the_focus_and_closes(browser: Browser, example: Path) -> None:
    with opened(browser, example) as page:
        page.keyboard.press("?")
        assert page.locator("#help").is_visible()
        assert page.evaluate("document.activeElement.closest('dialog') !== null")
        page.keyboard.press("j")
        assert page.evaluate("document.activeElement.closest('dialog') !== null")
        page.keyboard.press("Escape")
        assert not page.locator("#help").is_visible()


def test_a_link_opens_what_it_leads_to(browser: Browser, example: Path) -> None:
    with opened(browser, example) as page:
        page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = false; })")
        page.locator(".index a", has_text="DM303").click()
        assert page.locator("article[data-rule=DM303]").is_visible()


def test_filters_are_folded_on_a_narrow_screen_and_tables_lose_no_version(browser: Browser, versions: Path) -> None:
    with opened(browser, versions, width=360) as page:
        assert page.locator("#filters summary").is_visible()
        assert not page.locator("#keys").is_visible()
        page.locator("#filters summary").click()
        assert page.locator("#keys").is_visible()
        cells = page.locator(".tracks").first.locator("tbody tr").first.locator("td:visible")
        shown = cells.evaluate_all("(all) => all.map((one) => getComputedStyle(one, '::before').content)")
        assert [text.strip('" ') for text in shown] == ["v1", "v2", "v3", "v4", "v5"]


def test_on_paper_folded_parts_are_open_and_the_list_is_left_out(browser: Browser, example: Path) -> None:
    with opened(browser, example) as page:
        page.emulate_media(media="print")
        assert not page.locator("nav").is_visible()
        assert page.locator("details:not([open]) pre").count() > 0
        heights = page.locator("details:not([open]) pre").evaluate_all("(all) => all.map((one) => one.offsetHeight)")
        assert min(heights) > 0


def test_without_scripts_the_page_is_whole(browser: Browser, example: Path) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(example.as_uri())
    assert page.locator("article.note:visible").count() == page.locator("article.note").count()
    assert not page.locator("#filters").is_visible()
    context.close()
