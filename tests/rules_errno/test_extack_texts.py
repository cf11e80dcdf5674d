"""DM304 and DM305 on functions of our own: whether user space is told why, and told right."""

from __future__ import annotations

import pytest
from errno_telling import body, found, lines, over_files, said

DOIT = "int frob_doit(struct sk_buff *skb, struct genl_info *info)"
SET = "int frob_set(struct net_device *dev, struct netlink_ext_ack *extack)"

# DM304


@pytest.mark.parametrize(
    ("head", "extack"),
    [
        (DOIT, "info->extack"),
        (SET, "extack"),
        ("int frob_xdp(struct net_device *dev, struct netdev_bpf *bpf)", "bpf->extack"),
    ],
)
def test_the_extack_at_hand_is_named(head: str, extack: str) -> None:
    (one,) = found("DM304", body("\tif (frob_busy())\n\t\treturn -EBUSY;\n\treturn 0;\n", head))
    assert f"NL_SET_ERR_MSG({extack}, ...)" in one.message
    assert (one.level, one.confidence) == ("note", "high")


def test_the_head_may_stand_behind_the_at_signs_or_be_told_by_other_lines() -> None:
    calm = "\tfrob_a();\n\tfrob_b();\n\tfrob_c();\n\tfrob_d();\n\tfrob_e();\n\tfrob_f();\n\treturn 0;\n"
    new = calm.replace("\tfrob_f", "\tif (frob_busy())\n\t\treturn -EBUSY;\n\tfrob_f")
    head = "int frob_xdp(struct net_device *dev, struct netdev_bpf *bpf)"
    assert lines("DM304", body(new, head), body(calm, head)) == ["return -EBUSY;"]
    plain = "int frob_start(struct frob *fb)"
    assert lines("DM304", body(new, plain), body(calm, plain)) == []
    told = ("\tfrob_d();\n", "\tfb->extack = extack;\n")
    assert lines("DM304", body(new.replace(*told), plain), body(calm.replace(*told), plain)) == ["return -EBUSY;"]


@pytest.mark.parametrize("errno", ["EINVAL", "EOPNOTSUPP", "ERANGE", "E2BIG"])
def test_what_user_space_may_guess_is_less_sure(errno: str) -> None:
    text = body(f"\tif (dev->odd)\n\t\treturn -{errno};\n\treturn 0;\n", SET)
    assert said("DM304", text) == [(f"return -{errno};", "note", "medium")]


def test_an_attribute_with_a_wrong_value_is_pointed_at() -> None:
    test = "nla_get_u32(info->attrs[FROB_A_KIND]) != 3"
    (one,) = found("DM304", body(f"\tif ({test})\n\t\treturn -EINVAL;\n\treturn 0;\n", DOIT))
    assert "NL_SET_BAD_ATTR(info->extack, info->attrs[FROB_A_KIND]) points" in one.message
    assert one.confidence == "high"


@pytest.mark.parametrize(
    "statements",
    [
        '\tif (dev->busy) {\n\t\tNL_SET_ERR_MSG(extack, "busy");\n\t\treturn -EBUSY;\n\t}\n',
        "\tif (frob_check(dev, extack))\n\t\treturn -EBUSY;\n",
        "\tbool bad = frob_check(dev, extack);\n\n\tif (bad)\n\t\treturn -EBUSY;\n",
        "\tif (WARN_ON(dev->busy))\n\t\treturn -EBUSY;\n",
        "\tif (err)\n\t\treturn -EBUSY;\n",
        "\tif (!dev->map)\n\t\treturn -ENOMEM;\n",
    ],
)
def test_failures_that_speak_or_are_not_the_request(statements: str) -> None:
    assert lines("DM304", body(statements, SET)) == []


def test_a_caller_in_another_file_has_the_extack() -> None:
    take = body("\tif (dev->owner)\n\t\treturn -EEXIST;\n\treturn 0;\n", "int frob_take(struct frob *dev)")
    call = body("\treturn frob_take(info->user_ptr[0]);\n", DOIT)
    handed = call.replace("[0])", "[0], info->extack)")
    expected = [("net/core/frob.c", "return -EEXIST;")]
    assert over_files("DM304", ("net/core/frob.c", take), ("net/core/frob-genl.c", call)) == expected
    assert over_files("DM304", ("net/core/frob.c", take), ("net/core/frob-genl.c", handed)) == []
    assert over_files("DM304", ("net/core/frob.c", take)) == []
    itself = take.replace("return 0", "return frob_take(dev)")
    assert over_files("DM304", ("net/core/frob.c", itself)) == []


def test_outside_of_functions_nothing_is_at_hand() -> None:
    assert lines("DM304", "#define FROB(x) do { if (x) return -EBUSY; } while (0)\n") == []


# DM305


def checked(condition: str, text: str, macro: str = "NL_SET_ERR_MSG") -> str:
    return body(f'\tif ({condition}) {{\n\t\t{macro}(extack, "{text}");\n\t\treturn -EINVAL;\n\t}}\n')


@pytest.mark.parametrize(
    ("condition", "text", "part"),
    [
        ("len < 8", "must be a power of two", "power of 2"),
        ("len != 8", "length is unaligned", "alignment"),
        ("len > fb->max", "not a multiple of 8", "alignment"),
        ("!IS_ALIGNED(len, niov_size)", "not page aligned", "page size, but the condition tests against niov_size"),
        ("len < fb->niov_size", "smaller than PAGE_SIZE", "page size"),
        ("len % PAGE_SIZE", "not a multiple of the niov size", "names the niov size"),
        ("q >= dev->real_num_rx_queues", "tx queue too high", "speaks of tx"),
    ],
)
def test_texts_about_something_else(condition: str, text: str, part: str) -> None:
    ((one),) = found("DM305", checked(condition, text))
    assert part in one.message
    assert (one.level, one.confidence) == ("warning", "medium")


@pytest.mark.parametrize(
    ("condition", "text"),
    [
        ("len & (len - 1)", "must be a power of 2"),
        ("!is_power_of_2(len)", "must be a power of 2"),
        ("len & 7", "not aligned"),
        ("offset_in_page(len)", "not page aligned"),
        ("frob_odd(len)", "not aligned"),
        ("fb->odd", "not aligned"),
        ("len > fb->max", "key and mask miss aligned"),
        ("!IS_ALIGNED(len, niov_size)", "not aligned to the niov size"),
        ("len < PAGE_SIZE || len % niov_size", "at least the page size and a multiple of the niov size"),
        ("q >= dev->real_num_rx_queues", "rx queue too high"),
        ("q >= dev->real_num_rx_queues", "queue too high"),
        ("q >= dev->rx + dev->real_num_tx_queues", "rx or tx queue too high"),
        ("len > 8", ""),
    ],
)
def test_texts_that_fit(condition: str, text: str) -> None:
    assert lines("DM305", checked(condition, text)) == []


def test_texts_without_a_condition_or_with_macros() -> None:
    assert lines("DM305", body('\tNL_SET_ERR_MSG(extack, "not aligned");\n')) == []
    other = '\tif (a)\n\t\tfrob();\n\telse\n\t\tNL_SET_ERR_MSG(extack, "not aligned");\n'
    assert lines("DM305", body(other)) == []
    assert lines("DM305", checked("len > 8", "not aligned").replace('"not', 'FROB "not')) == []
    assert lines("DM305", body("\tif (a > b)\n\t\tNL_SET_ERR_MSG(extack);\n")) == []


def test_one_text_for_two_conditions_is_a_guess() -> None:
    twice = checked("!fb->a", "no frob").replace("}\n}\n", "}\n") + checked("!fb->b", "no frob").split("{\n", 1)[1]
    assert said("DM305", twice) == [('NL_SET_ERR_MSG(extack, "no frob");', "note", "low")]
    assert said("DM305", twice.replace("fb->b", "fb->a")) == []
