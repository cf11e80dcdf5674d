"""Variables that only a loop writes, and calls that decide how often such a loop runs."""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator, Mapping
from itertools import islice

from reviewer.kit.expressions import arguments, bare, called, declared, enclosing, identifiers, operator, plain
from reviewer.kit.guards import guards
from reviewer.rule import Function, Loop, Node, Struct, Unit

_CHOICE = "conditional_expression"
_ENDLESS = frozenset({"1", "true"})


class Unset(Struct, frozen=True, kw_only=True):
    """A variable that only `loop` writes and that `use` returns. `bound` is the parameter that counts the rounds."""

    name: str
    declaration: Node
    loop: Loop
    use: Node
    bound: str | None


def unset_after_loop(unit: Unit) -> Iterator[Unset]:
    """Variables of complete functions that are returned behind the only loop that writes them."""
    if not unit.mentions("for", "while"):
        return
    holders = (unit.function_of(loop.node) for loop in unit.loops)
    looping = {holder.first_row for holder in holders if holder is not None}
    for function in unit.functions:
        if function.node is None or not function.complete or function.node.broken:
            continue
        body = function.node.child("body")
        without = list(_without_value(body)) if body is not None and function.first_row in looping else ()
        if body is not None and without:
            uses = _uses(body)
            for declaration, name in without:
                found = _unset(unit, function, body, declaration, uses[name])
                if found is not None:
                    yield found


def _without_value(body: Node) -> Iterator[tuple[Node, str]]:
    """The plain variables that the outermost block of a function declares without a value."""
    seen: set[str] = set()
    for statement in body.named_children:
        if statement.kind == "declaration" and "static" not in statement.text.split():
            for child in statement.named_children:
                if child.kind == "identifier" and child.field == "declarator" and child.text not in seen:
                    seen.add(child.text)
                    yield statement, child.text


def _uses(body: Node) -> Mapping[str, list[Node]]:
    found: defaultdict[str, list[Node]] = defaultdict(list)
    for node in body.walk():
        if node.kind == "identifier":
            found[node.text].append(node)
    return found


def _unset(unit: Unit, function: Function, body: Node, declaration: Node, uses: list[Node]) -> Unset | None:
    name = uses[0].text
    writes = [use for use in uses if use.start > declaration.end and _is_write(use)]
    if not writes or any(_escapes(use) for use in uses):
        return None
    loop = _top_loop(unit, writes[0], body)
    if loop is None or loop.head == "do" or loop.body is None or not _may_not_run(loop):
        return None
    if any(name in identifiers(argument) for argument in loop.arguments):
        return None  # an iteration macro that writes it, or a test of it
    inside = (loop.body.start, loop.body.end)
    if not all(inside[0] <= write.start < inside[1] for write in writes):
        return None
    use = _returned(body, loop, name)
    if use is None or _bounded_before(loop):
        return None
    return Unset(name=name, declaration=declaration, loop=loop, use=use, bound=_bound(function, loop))


def _is_write(use: Node) -> bool:
    outer = use.parent
    return outer is not None and outer.kind == "assignment_expression" and use.field == "left"


def _escapes(use: Node) -> bool:
    """Whether somebody else may write: the address is taken, or a macro or asm has its hands on it."""
    outer = use.parent
    return outer is not None and outer.kind in ("pointer_expression", "gnu_asm_output_operand", "ERROR")


def _top_loop(unit: Unit, node: Node, body: Node) -> Loop | None:
    """The outermost loop around `node` that stands in the outermost block of the function."""
    found: Loop | None = None
    loop = unit.loop_of(node)
    while loop is not None:
        found = loop
        loop = unit.loop_of(loop.node)
    return found if found is not None and found.node.parent is body else None


def _may_not_run(loop: Loop) -> bool:
    """Whether the number of rounds hangs on something that is known at run time only."""
    condition = loop.node.child("condition")
    if condition is None:
        return False
    condition = bare(condition)
    if condition.text in _ENDLESS:
        return False
    right = condition.child("right")
    if loop.head == "for" and right is not None:
        if called(bare(right)).isupper():
            return False
        names = [node.text for node in right.walk() if node.kind in ("identifier", "field_identifier")]
        return any(not name.isupper() for name in names)
    return True


def _returned(body: Node, loop: Loop, name: str) -> Node | None:
    """The return behind the loop that gives the variable, when nothing leaves or decides in between."""
    behind = bisect_left(body.children, loop.node.end, key=lambda child: child.start)
    for statement in islice(body.children, behind, None):
        if not statement.named or statement.kind == "comment":
            continue
        if statement.kind == "return_statement":
            value = next(iter(statement.named_children), None)
            return statement if value is not None and _gives(bare(value), name) else None
        if statement.kind != "expression_statement" or name in identifiers(statement):
            return None
    return None


def _gives(value: Node, name: str) -> bool:
    """Whether `value` is the variable, or becomes it when a counter is 0: `err`, `ERR_PTR(err)`, `k ? 0 : err`."""
    if value.kind == _CHOICE:
        other = value.child("alternative")
        return other is not None and bare(other).text == name
    if called(value) == "ERR_PTR":
        return any(bare(one).text == name for one in arguments(value))
    return value.kind == "identifier" and value.text == name


def _bounded_before(loop: Loop) -> bool:
    """Whether something that the loop hangs on was tested before."""
    condition = loop.node.child("condition")
    names = frozenset(identifiers(condition)) if condition is not None else frozenset[str]()
    return any(names & frozenset(identifiers(guard)) for guard in guards(loop.node))


def _bound(function: Function, loop: Loop) -> str | None:
    """The parameter that the loop counts up to."""
    condition = loop.node.child("condition")
    if function.node is None or condition is None or loop.head not in ("for", "while"):
        return None
    parameters = {
        found.text
        for node in function.node.walk()
        if node.kind == "parameter_declaration"
        for found in node.walk()
        if found.kind == "identifier"
    }
    operands = [bare(condition)]
    operands += [bare(child) for child in operands[0].named_children]
    return next((node.text for node in operands if node.kind == "identifier" and node.text in parameters), None)


def helpers_that_give_zero(unit: Unit) -> Iterator[tuple[Node, Node, str, str]]:
    """(call, count, helper, callee): calls whose argument `count` is what `helper`, which may give 0, gave.

    The callee returns `k ? 0 : err` without a first value for `err`; all three are in the hunks of the file.
    """
    units = (unit, *unit.peers)
    if not any(each.mentions("? 0 :") for each in units):
        return
    loose = {name for each in units for name in _loose_results(each)}
    for call in unit.calls(*sorted(loose)) if loose else ():
        for count in arguments(call):
            helper = _helper(units, unit, count) if count.kind == "identifier" else None
            if helper is not None and not any(count.text in identifiers(guard) for guard in guards(call)):
                yield call, count, helper, called(call)


def _loose_results(unit: Unit) -> Iterator[str]:
    """Functions whose result only a loop sets, or whose end alone is in sight and returns `k ? 0 : err`."""
    for found in unset_after_loop(unit):
        function = unit.function_of(found.use)
        if function is not None and found.bound is not None:
            yield function.name
    for node in unit.find("return_statement"):
        value = next(iter(node.named_children), None)
        function = unit.function_of(node)
        if value is None or function is None or function.node is not None or bare(value).kind != _CHOICE:
            continue
        then, other = bare(value).child("consequence"), bare(value).child("alternative")
        if then is not None and other is not None and then.text == "0" and bare(other).kind == "identifier":
            yield function.name


def _helper(units: tuple[Unit, ...], unit: Unit, count: Node) -> str | None:
    """The function of the same file that gave `count` its value and starts its own result at 0."""
    function = unit.function_of(count)
    for each in units:
        for node in each.find("assignment_expression"):
            left, right = node.child("left"), node.child("right")
            inside = each.function_of(node)
            same = function is not None and inside is not None and inside.name == function.name
            if same and left is not None and right is not None and operator(node) == "=" and plain(left) == count.text:
                name = called(bare(right))
                if any(_starts_at_zero(one, name) for one in units):
                    return name
    return None


def _starts_at_zero(unit: Unit, name: str) -> bool:
    """Whether the function `name` returns a variable that it starts at 0 and counts up."""
    for function in unit.functions:
        if function.name != name or function.node is None or not function.complete:
            continue
        zero = {
            found.text
            for one in function.node.walk()
            if one.kind == "init_declarator" and (found := declared(one)) is not None
            if (value := one.child("value")) is not None and value.text == "0"
        }
        returns = [one for one in function.node.walk() if one.kind == "return_statement"]
        last = next(iter(returns[-1].named_children), None) if returns else None
        counted = {
            argument.text
            for one in function.node.walk()
            if one.kind == "update_expression" and (argument := one.child("argument")) is not None
        }
        if last is not None and bare(last).text in zero & counted and enclosing(returns[-1], "if_statement") is None:
            return True
    return False
