"""DM304: a request from user space is refused, and the extack that could say why stays empty."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from reviewer.kit.expressions import arguments, bare, calls_in, identifiers, last_values, plain
from reviewer.kit.extack import extack_at, netlink_caller, sets_extack
from reviewer.kit.failures import Failure, alternatives, failures
from reviewer.rule import CodeRule, Example, Find, Hit, Node, Result, Unit, code

_OWN = frozenset({"EINVAL", "EOPNOTSUPP", "ERANGE", "EBUSY", "EEXIST", "E2BIG"})
_STATES = frozenset({"EBUSY", "EEXIST"})
"""What speaks of a state that user space cannot see; the rest speaks of its own numbers or of the device."""
_RESULTS = frozenset({"err", "error", "ret", "rc", "retval", "res", "status"})
_SHORT = 60
"""Characters of a test that still read well within a sentence."""
_EXCLUSIVE = "NLM_F_EXCL"
_REQUIRED = ("NL_REQ_ATTR_CHECK", "GENL_REQ_ATTR_CHECK")
_INTERNAL = ("WARN_ON", "WARN_ON_ONCE", "DEBUG_NET_WARN_ON_ONCE", "WARN", "WARN_ONCE", "IS_ERR", "IS_ERR_OR_NULL")
_READERS = ("nla_get_u8", "nla_get_u16", "nla_get_u32", "nla_get_u64", "nla_get_uint", "nla_get_s32")


class FailureWithoutExtack(CodeRule):
    """A check of its own refuses a netlink request, and no extack is set though one is at hand.

    What it does: for each new branch that gives -EINVAL, -EOPNOTSUPP, -ERANGE, -EBUSY, -EEXIST or -E2BIG by a test of
    its own it asks whether the function has an extack (a parameter, `info->extack`, `bpf->extack`, or what its other
    lines use). A function without one, which a function of the same patch that has one calls, is reported for -EBUSY
    and -EEXIST: the extack could be handed down. What speaks of a state (-EBUSY, -EEXIST) and what judges the value
    of one attribute is surest; of the others a thousand stand in merged code, so they have medium confidence.

    Why it matters: all that user space gets is a number, which a dozen places of a request may give.

    When it stays silent: the branch sets an extack, or the test hands one on; checks for missing attributes, which
    set it themselves; an extack that the function keeps for itself; results of callees; WARN_ON(); -EEXIST where the
    request has NLM_F_EXCL, which asks for it; -ENOMEM, -EMSGSIZE, -ENODEV and the like, which say it all.

    Sources: Documentation/userspace-api/netlink/intro.rst, "Ext ACK"; <20240827190805.7f82deb0@kernel.org>,
    <20240829141654.1e1b74f8@kernel.org>, <20240829141212.1d146a16@kernel.org>; RULES.md DM304.
    """

    id = "DM304"
    name = "failure-without-extack"
    title = "A request is refused without an extack message"
    why = "One errno comes from many checks, so without an extack message user space cannot tell which one it failed."
    level = "note"
    confidence = "high"
    category = "extack"
    needs = ("hunk",)
    paths = ("net/**", "drivers/net/**", "include/net/**")

    def check(self, unit: Unit) -> Iterator[Result]:
        """Yield a hit for each new refusal that sets no extack."""
        for failure in failures(unit):
            node = failure.errno.node
            tests = _own_tests(unit, failure) if failure.name in _OWN and unit.touched(node) else ()
            message = _message(unit, failure, tests) if tests else None
            if message is not None:
                plain_case = failure.name not in _STATES and not _attribute(tests)
                yield Hit(
                    at=unit.at(node),
                    message=message,
                    confidence="medium" if plain_case else None,
                    evidence=failure.evidence,
                )

    @staticmethod
    def examples() -> Sequence[Example]:
        """Bad: extack at hand, in the caller's hands, for one test of three. Look-alikes: set elsewhere."""
        path = "net/core/frob.c"
        return (
            code("bad", path, _DOIT, finds=[Find(line="err = -EOPNOTSUPP;")]),
            code("bad", path, _HANDED, finds=[Find(line="return -EBUSY;")]),
            code("bad", path, _ATTRIBUTE, finds=[Find(line="return -EINVAL;")]),
            code("good", path, _DOIT.replace("\t\terr = -E", _SET + "\t\terr = -E")),
            code("good", path, _HANDED.replace("fb, dev)", "fb, dev, info->extack)").replace(*_WITH)),
            code("look-alike", path, _ATTRIBUTE.replace(_WRONG, ""), note="the checks set it themselves"),
            code("look-alike", path, _OTHERS, note="allocation, callee, broken invariant"),
            code("look-alike", path, _TRACED, note="this extack is only traced: no user space gets it"),
            code("look-alike", path, _EXCLUSIVELY, note="NLM_F_EXCL asks for this errno"),
            code("look-alike", path, _HANDED.replace("EBUSY", "EINVAL"), note="no handler's extack for bad arguments"),
        )


def _own_tests(unit: Unit, failure: Failure) -> tuple[Node, ...]:
    """The tests of `failure` that nothing else explains to user space."""
    if sets_extack(failure.branch) or _asked_for(failure):
        return ()
    tests = alternatives(failure.condition)
    return tuple(test for test in tests if not sets_extack(test) and _is_own(unit, test))


def _asked_for(failure: Failure) -> bool:
    """Whether the request itself asks to be refused when the thing is there already."""
    return failure.name == "EEXIST" and _EXCLUSIVE in identifiers(failure.condition)


def _is_own(unit: Unit, test: Node) -> bool:
    """Whether `test` judges the request itself, not a result or a broken invariant."""
    names = frozenset(identifiers(test))
    if any(calls_in(test, *_INTERNAL)) or (names and names <= _RESULTS):
        return False
    return not any(sets_extack(value) for name in names for value in last_values(unit, name, test, 1))


def _message(unit: Unit, failure: Failure, tests: tuple[Node, ...]) -> str | None:
    node = failure.errno.node
    extack = extack_at(unit, node)
    if extack is None:
        return _for_caller(unit, failure) if failure.name in _STATES else None
    attribute = _attribute(tests)
    if not attribute:
        return (
            f"This gives -{failure.name} without a word of why. NL_SET_ERR_MSG({extack}, ...) would tell user space "
            "which check it failed."
        )
    apart = " in a branch of its own" if any(calls_in(failure.condition, *_REQUIRED)) else ""
    return (
        f"A wrong value of {attribute} gives -{failure.name} without saying that it was this attribute: "
        f"NL_SET_BAD_ATTR({extack}, {attribute}){apart} points at it."
    )


def _attribute(tests: tuple[Node, ...]) -> str:
    """The attribute whose value one of `tests` judges; empty when none does."""
    return next((plain(arguments(call)[0]) for test in tests for call in calls_in(test, *_READERS)), "")


def _for_caller(unit: Unit, failure: Failure) -> str | None:
    function = unit.function_of(failure.errno.node)
    caller = netlink_caller(unit, function.name) if function is not None else None
    if function is None or caller is None:
        return None
    test = " ".join(bare(failure.condition).text.split())
    reason = f"that it is `{test}` which gives -{failure.name}" if len(test) <= _SHORT else f"why -{failure.name} comes"
    return (
        f"{caller}() has an extack, but {function.name}() cannot tell user space {reason}: pass the extack down and "
        "set a message."
    )


_DOIT = """
int frob_set_doit(struct sk_buff *skb, struct genl_info *info)
{
	int err = 0;

	frob_lock();
	if (!frob_device->slots) {
		err = -EOPNOTSUPP;
		goto unlock;
	}
	err = frob_set(info, info->extack);
unlock:
	frob_unlock();
	return err;
}
"""
_SET = '\t\tNL_SET_ERR_MSG(info->extack, "the device has no slots");\n'
_HANDED = """
static int frob_take(struct frob *fb, struct frob_device *dev)
{
	if (dev->owner)
		return -EBUSY;
	dev->owner = fb;
	return 0;
}

int frob_take_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct frob_device *dev = frob_find(info);
	struct frob *fb = info->user_ptr[0];

	return frob_take(fb, dev);
}
"""
_WITH = (
    "*dev)\n{\n\tif (dev->owner)\n\t\treturn -EBUSY;\n",
    "*dev, struct netlink_ext_ack *extack)\n{\n\tif (dev->owner) {\n"
    '\t\tNL_SET_ERR_MSG(extack, "somebody else has the device");\n\t\treturn -EBUSY;\n\t}\n',
)
_WRONG = " ||\n\t\t\tnla_get_u32(tb[FROB_A_KIND]) != FROB_RX"
_ATTRIBUTE = """
int frob_kind_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct nlattr **tb = info->attrs;

	if (NL_REQ_ATTR_CHECK(info->extack, NULL, tb, FROB_A_ID) ||
			NL_REQ_ATTR_CHECK(info->extack, NULL, tb, FROB_A_KIND) ||
			nla_get_u32(tb[FROB_A_KIND]) != FROB_RX)
		return -EINVAL;
	return frob_kind(tb);
}
"""
_TRACED = """
int frob_link_attach(const union frob_attr *attr)
{
	struct netlink_ext_ack extack = {};
	struct frob *fb = frob_find(attr->id);
	int err;

	if (!fb->users)
		return -EINVAL;
	err = frob_attach(fb, &extack);
	if (err)
		trace_frob_link_failed(extack._msg);
	return err;
}
"""
_EXCLUSIVELY = """
int frob_new(struct nlmsghdr *nlh, struct frob *fb, struct netlink_ext_ack *extack)
{
	if ((nlh->nlmsg_flags & NLM_F_EXCL) && frob_exists(fb))
		return -EEXIST;
	return frob_add(fb, extack);
}
"""
_OTHERS = """
int frob_new_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct frob *fb = frob_new(info);
	bool valid = frob_valid(info, info->extack);
	int err;

	if (!fb)
		return -ENOMEM;
	if (!valid)
		return -EINVAL;
	if (!frob_fits(fb, info->extack))
		return -ERANGE;
	if (WARN_ON(fb->users))
		return -EBUSY;
	err = frob_start(fb);
	if (err)
		return -EINVAL;
	return 0;
}
"""
