from pathlib import Path

import pytest

from reviewer.errors import RuleLoadError, UsageError
from reviewer.registry import load_rules, matching, mount, select_rules

RULE = '''
from reviewer.rule import MessageRule


class {name}(MessageRule):
    """Says nothing."""

    id = "{id}"
    name = "{slug}"
    title = "Nothing"
    why = "No reason."
    level = "{level}"
    confidence = "low"
    category = "{category}"
    needs = ("mail",)
    default = {default}

    def check(self, message):
        yield from ()
'''


def write(folder: Path, slug: str, id_: str, *, level="note", category="other", default=True, name="Frob"):
    path = folder / f"{slug.replace('-', '_')}.py"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(RULE.format(name=name, id=id_, slug=slug, level=level, category=category, default=default))
    return path


def test_rules_come_sorted_by_id_from_folders_of_folders(tmp_path):
    write(tmp_path / "b", "second-one", "XX902")
    write(tmp_path / "a", "first-one", "XX903")
    write(tmp_path, "third-one", "XX901")
    assert [rule.id for rule in load_rules([tmp_path], installed=False)] == ["XX901", "XX902", "XX903"]


def test_two_folders_with_modules_of_one_name_do_not_mix(tmp_path):
    write(tmp_path / "one", "same-name", "XX901")
    write(tmp_path / "two", "same-name", "XX902")
    assert mount(tmp_path / "one") != mount(tmp_path / "two")
    with pytest.raises(RuleLoadError, match="same-name is also in"):
        load_rules([tmp_path / "one", tmp_path / "two"], installed=False)
    assert [rule.id for rule in load_rules([tmp_path / "two"], installed=False)] == ["XX902"]


def test_rules_of_a_family_share_a_table_by_relative_import(tmp_path):
    path = write(tmp_path / "family", "shares-table", "XX901")
    (tmp_path / "family" / "_tables.py").write_text('TITLE = "shared"\n')
    path.write_text("from ._tables import TITLE\n" + path.read_text().replace('"Nothing"', "TITLE"))
    assert load_rules([tmp_path], installed=False)[0].title == "shared"


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (('id = "XX901"', 'id = "xx"'), "not of the form"),
        (('level = "note"', 'level = "fatal"'), "none of error, warning, note"),
        (('confidence = "low"', 'confidence = "sure"'), "none of high, medium, low"),
        (('category = "other"', 'category = "frob"'), "category 'frob' is none of sg-alignment, "),
        (('    why = "No reason."\n', ""), "declares no why"),
        (('"""Says nothing."""', "pass"), "has no docstring"),
        (('name = "one-rule"', 'name = "other-rule"'), "its module says one-rule"),
        (("MessageRule)", "Rule)"), "is no CodeRule"),
        (("class Frob", "import frob_is_not_there\nclass Frob"), "cannot be loaded: ModuleNotFoundError"),
        (("class Frob", "class ("), "cannot be loaded: SyntaxError"),
    ],
)
def test_a_wrong_plugin_is_named_with_its_reason(tmp_path, change, reason):
    path = write(tmp_path, "one-rule", "XX901")
    path.write_text(path.read_text().replace("import MessageRule", "import MessageRule, Rule").replace(*change))
    with pytest.raises(RuleLoadError) as caught:
        load_rules([tmp_path], installed=False)
    assert reason in str(caught.value)
    assert "one_rule.py" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_two_rules_of_one_id(tmp_path):
    write(tmp_path, "one-rule", "XX901")
    write(tmp_path, "two-rule", "XX901")
    with pytest.raises(RuleLoadError, match="rule XX901 is also in"):
        load_rules([tmp_path], installed=False)


def test_a_folder_that_is_not_there(tmp_path):
    with pytest.raises(RuleLoadError, match="no such folder of rules"):
        load_rules([tmp_path / "frob"], installed=False)


def test_a_file_that_is_no_module(tmp_path):
    (tmp_path / "not-a-module.py").write_text("")
    with pytest.raises(RuleLoadError, match="not a module's name"):
        load_rules([tmp_path], installed=False)


def test_selection_takes_ids_names_prefixes_and_categories(tmp_path):
    write(tmp_path, "one-rule", "XX301")
    write(tmp_path, "two-rule", "XX302", category="extack")
    write(tmp_path, "off-rule", "XX401", default=False)
    rules = load_rules([tmp_path], installed=False)

    def chosen(select=(), ignore=()):
        return [rule.id for rule in select_rules(rules, select, ignore)]

    assert chosen() == ["XX301", "XX302"]
    assert chosen(["XX4"]) == ["XX401"]
    assert chosen(["xx3"], ["extack"]) == ["XX301"]
    assert chosen(["one-rule", "off-rule"]) == ["XX301", "XX401"]
    assert chosen(ignore=["XX"]) == []
    with pytest.raises(UsageError, match="unknown rule: one-rul; did you mean one-rule"):
        matching(rules, "one-rul")
    with pytest.raises(UsageError, match="unknown rule: XY999; see `reviewer rules`"):
        matching(rules, "XY999")
    with pytest.raises(UsageError, match="see `reviewer rules`"):
        matching(rules, "zzzzzzzz")


def test_an_entry_point_names_a_module_with_rules_or_a_rule(tmp_path, monkeypatch):
    package = tmp_path / "site" / "frobrules"
    write(package, "one-rule", "XX901")
    (package / "__init__.py").write_text("")
    info = tmp_path / "site" / "frobrules-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: frobrules\nVersion: 1.0\n")
    monkeypatch.syspath_prepend(str(tmp_path / "site"))

    def ids(target):
        (info / "entry_points.txt").write_text(f"[reviewer.rules]\nfrob = {target}\n")
        return [rule.id for rule in load_rules([])]

    assert ids("frobrules.one_rule") == ["XX901"]
    assert ids("frobrules.one_rule:Frob") == ["XX901"]
    with pytest.raises(RuleLoadError, match=r"entry point frob \(frobrules\): no rule is defined in this module"):
        ids("frobrules")
    with pytest.raises(RuleLoadError, match="is neither a module nor a rule"):
        ids("frobrules.one_rule:__doc__")
    with pytest.raises(RuleLoadError, match="cannot be loaded: ModuleNotFoundError"):
        ids("frobrules.two_rule")
