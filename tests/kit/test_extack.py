from __future__ import annotations

from kit_unit import named, unit_of, units

from reviewer.kit.extack import extack_at, netlink_caller, sets_extack

HEAD = "static int frob_set(struct net_device *dev,\n\t\t    struct netlink_ext_ack *why)\n{\n"


def test_a_parameter_is_named_as_it_is_called():
    unit = unit_of(f"{HEAD}\treturn use(x);\n}}\n")
    assert extack_at(unit, named(unit, "use(x)")) == "why"


def test_the_section_heading_counts_for_its_own_function_only():
    calm = "".join(f"\tfrob_{letter}();\n" for letter in "abcdefg")
    one = f"int frob_one(struct genl_info *info)\n{{\n{calm}\treturn use(x);\n}}\n"
    old = f"{one}\nint frob_two(void)\n{{\n\treturn 0;\n}}\n"
    (unit,) = units(old.replace("use(x)", "use(y)").replace("return 0", "return use(z)"), old)
    assert extack_at(unit, named(unit, "use(y)")) == "info->extack"
    assert extack_at(unit, named(unit, "use(z)")) is None


def test_code_of_no_function_has_none():
    unit = unit_of("int frob = use(x);\n")
    assert extack_at(unit, named(unit, "use(x)")) is None


def test_what_sets_or_hands_on():
    unit = unit_of(f"{HEAD}\tuse(extack);\n\tNL_SET_BAD_ATTR(why, a);\n\tuse(x);\n\treturn 0;\n}}\n")
    assert sets_extack(named(unit, "use(extack)"))
    assert sets_extack(named(unit, "NL_SET_BAD_ATTR(why, a)"))
    assert not sets_extack(named(unit, "use(x)"))


def test_callers_that_could_hand_one_down():
    call = "int frob_doit(struct genl_info *info)\n{\n\treturn frob_take(1);\n}\n"
    take = "int frob_take(int a)\n{\n\treturn a;\n}\n"
    assert netlink_caller(unit_of(take + call), "frob_take") == "frob_doit"
    assert netlink_caller(unit_of(take + call.replace("(1)", "(info->extack)")), "frob_take") is None
    assert netlink_caller(unit_of(take + call.replace("struct genl_info *info", "int b")), "frob_take") is None
