from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from reviewer import folders
from reviewer.errors import UsageError
from reviewer.folders import shipped
from reviewer.report import FORMATS, TEMPLATES, check_format, render
from reviewer.report.filling import Template
from reviewer.report.text import text_medium


def _render(sample: Any, folder: Path, form: str = "text") -> str | bytes:
    report = sample.report(sample.series_of(1), [sample.finding("v1-1@frob.example", message="a\x1bb @x")])
    return render(report, form, templates=folder, min_confidence="low")


def test_the_shipped_templates_are_those_that_can_be_replaced() -> None:
    assert sorted(path.name for path in shipped("templates").iterdir()) == sorted(TEMPLATES)


def test_an_installed_package_has_its_own(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(folders, "__file__", str(tmp_path / "reviewer" / "folders.py"))
    assert shipped("rules") == tmp_path / "reviewer" / "rules"
    (tmp_path / "rules").mkdir()
    assert shipped("rules") == tmp_path / "reviewer" / "rules"
    (tmp_path / "pyproject.toml").touch()
    assert shipped("rules") == tmp_path / "rules"


@pytest.mark.parametrize("form", ["htm", "", "TEXT"])
def test_an_unknown_format_names_those_that_exist(sample: Any, form: str) -> None:
    with pytest.raises(UsageError, match="text, markdown, html, json, reply") as caught:
        render(sample.report([]), form, templates=None, min_confidence="low")
    assert "\n" not in str(caught.value)


def test_a_folder_that_is_none_or_holds_no_template(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no template folder"):
        check_format("text", tmp_path / "absent")
    (tmp_path / "other.j2").touch()
    with pytest.raises(UsageError, match=r"no template in .* known names are text.j2"):
        check_format("json", tmp_path)
    (tmp_path / "text.j2").touch()
    for form in FORMATS:
        check_format(form, tmp_path)


def test_templates_are_replaced_one_by_one(sample: Any, tmp_path: Path) -> None:
    (tmp_path / "text.j2").write_text("{{ say.shape(report.series[0]) }}\n")
    assert _render(sample, tmp_path) == "v1 by Ada Example, 2026-02-03: cover letter and 1 patch, complete\n"
    assert str(_render(sample, tmp_path, "markdown")).startswith("### net: frob")


def test_shared_wording_can_be_replaced(sample: Any, tmp_path: Path) -> None:
    wording = (
        (shipped("templates") / "macros.j2")
        .read_text()
        .replace("cover letter alone", "x")
        .replace("complete", "all there")
    )
    (tmp_path / "macros.j2").write_text(wording)
    assert ": cover letter and 1 patch, all there\n" in str(_render(sample, tmp_path))
    (tmp_path / "macros.j2").write_text(wording.replace("macro shape", "macro shape_of"))
    with pytest.raises(UsageError, match=r"line [0-9]+: .*shape"):
        _render(sample, tmp_path)


@pytest.mark.parametrize("form", ["text", "markdown"])
def test_a_template_cannot_forget_to_escape(sample: Any, tmp_path: Path, form: str) -> None:
    message = "report.series[0].mails[0].findings[0].message"
    (tmp_path / f"{form}.j2").write_text(
        "{% macro shout(x) %}{{ x }}!{% endmacro %}"
        f"{{% set m = {message} %}}"
        "{{ m }}\n{{ m ~ say.heading(report.series[0].mails[0]) }}\n{{ shout(m) }}\n"
        "{{ [m, m] | join(',') }}\n{% set n %}{{ m }}{% endset %}{{ n }}"
    )
    text = _render(sample, tmp_path, form)
    assert isinstance(text, str)
    assert "\x1b" not in text
    assert form == "text" or "@x" not in text


@pytest.mark.parametrize(
    ("broken", "said"),
    [
        ("fine\n{% if %}\n", r"text\.j2, line 2: "),
        ("fine\n\n{{ nobody }}\n", r"text\.j2, line 3: 'nobody' is undefined"),
        ("{{ 1 / 0 }}\n", r"text\.j2, line 1: division by zero"),
        ("{{ report.series.nope.more }}\n", r"text\.j2, line 1: "),
        ("{{ report.version | nope }}\n", r"text\.j2, line 1: No filter named 'nope'"),
        ("\n{% include 'absent.j2' %}\n", r"text\.j2, line 2: .*absent"),
        ("\n{{ report.series[0].title | wrap(x=1) }}\n", r"text\.j2, line 2: .*unexpected keyword"),
    ],
)
def test_a_broken_template_is_one_line_that_names_its_place(
    sample: Any, tmp_path: Path, broken: str, said: str
) -> None:
    (tmp_path / "text.j2").write_text(broken)
    with pytest.raises(UsageError, match=said) as caught:
        _render(sample, tmp_path)
    assert "\n" not in str(caught.value)
    assert str(tmp_path) in str(caught.value)


def test_a_template_that_is_no_text(sample: Any, tmp_path: Path) -> None:
    (tmp_path / "text.j2").write_bytes(b"\xff\xfe{{")
    with pytest.raises(UsageError, match=f"templates in {tmp_path}: .*utf-8"):
        _render(sample, tmp_path)


def test_a_fault_of_ours_is_not_blamed_on_the_user() -> None:
    with pytest.raises(Exception, match="undefined") as caught:
        Template("text.j2", None, text_medium(80)).fill()
    assert not isinstance(caught.value, UsageError)


def test_a_copy_of_the_shipped_templates_changes_nothing(sample: Any, tmp_path: Path) -> None:
    folder = tmp_path / "copy"
    shutil.copytree(shipped("templates"), folder)
    report = sample.report(sample.series_of(2), [sample.finding("v1-1@frob.example")])
    for form in ("text", "markdown", "reply"):
        own = render(report, form, templates=folder, min_confidence="low")
        assert own == render(report, form, templates=None, min_confidence="low")
