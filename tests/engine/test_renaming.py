from pathlib import Path

from reviewer import registry
from reviewer.renaming import C_WORDS, new_names, renamed, reordered, vocabulary


def test_names_keep_their_length_and_what_a_rule_speaks_of():
    code = 'int frob_shift(int slot)\n{\n\tpr_err("%zu bytes\\n", slot);\n\treturn -EINVAL;\n}\n'
    names = new_names([code], frozenset({"shift"}))
    assert names["frob_shift"].endswith("_shift")
    assert names["frob_shift"] != "frob_shift"
    assert "EINVAL" not in names
    assert "return" not in names
    assert all(len(old) == len(new) for old, new in names.items())
    changed = renamed(code, names)
    assert len(changed) == len(code)
    assert "%zu" in changed
    assert "\\n" in changed
    assert "slot" not in changed


def test_no_two_names_become_one_and_none_a_keyword():
    code = "vs(); hf(); abc; nop;"  # vs is rot13 of if, abc of nop
    names = new_names([code], frozenset())
    assert len(set(names.values())) == len(names)
    assert not C_WORDS.intersection(names.values())


def test_words_in_strings_and_comments_alone_are_no_identifiers():
    assert new_names(['/* word */ "other" // third\n'], frozenset()) == {}


def test_independent_declarations_turn_round():
    code = "{\n\tu32 a = 1;\n\tsize_t b, c;\n\tint *d;\n\n\ta = b;\n}\n"
    assert reordered(code) == "{\n\tint *d;\n\tsize_t b, c;\n\tu32 a = 1;\n\n\ta = b;\n}\n"


def test_declarations_that_need_each_other_stay():
    code = "{\n\tstruct frob *f = p;\n\tu32 n = f->n;\n}\n"
    assert reordered(code) == code


def test_statements_are_no_declarations():
    code = "{\n\tgoto out;\n\treturn x;\n\ta = b;\n\tf(x);\n}\n"
    assert reordered(code) == code


def test_vocabulary_has_strings_but_neither_docstrings_nor_examples(tmp_path: Path):
    source = tmp_path / "rule.py"
    source.write_text(
        '"""module_word"""\nNAMES = ("sg_dma_len", "/shift|order/")\n\n\ndef examples():\n    return ["example_word"]\n'
    )
    words = vocabulary([source])
    assert {"sg_dma_len", "dma", "shift", "order"} <= words
    assert not {"module_word", "example_word"} & words


def test_registry_module_has_words():
    assert ["uapi", "yaml-sync"][0] in vocabulary([Path(registry.__file__)])
