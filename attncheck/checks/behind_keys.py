"""A causal flag over keys that stand behind others: queries that see the wrong end of them.

Libraries lay the mask of ``is_causal=True`` from the top left corner on: query i sees the keys 0 to
i. Where the queries' own keys are joined behind those of a cache, query i is at another place among
the keys, and one query with a cache sees the first key alone.
Rule: torch.nn.functional.scaled_dot_product_attention, ``torch.ones(L, S).tril(diagonal=0)``;
jax.nn.dot_product_attention; keras.ops.dot_product_attention.

Told where the flag is the constant True, the queries are positions of the tensor whose keys are
joined last, and every run that joins comes to this attention: a branch of its own for one query, or
for the first run, would be another matter.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator

import libcst as cst

from attncheck.algebra.shape import Axis
from attncheck.checks.mask_places import are_one
from attncheck.checks.report import Culprit, Report
from attncheck.checks.view import View
from attncheck.graph import Operation
from attncheck.operators.events import (
    Attention,
    Elementwise,
    Expansion,
    Joining,
    NewAxis,
    Permutation,
    Rearranging,
    Reshaping,
    Selection,
)
from attncheck.record import record
from attncheck.rule import Rule
from attncheck.tree.pairs import parts
from attncheck.values.tensor import Tensor
from attncheck.values.value import TRUE, as_tensor

#: What leaves the order of positions as it is: moves, copies of heads, one operand computed.
_PASSING = (Permutation, NewAxis, Rearranging, Reshaping, Expansion, Elementwise)
_PASSING_KINDS = frozenset({"identity", "contiguous", "linear_layer"})
_MOST_STEPS = 24
#: Where a run may end, or say what it is given.
_LEAVING = (cst.Return, cst.Raise, cst.Continue, cst.Break, cst.Assert)


@record
class Behind:
    """Keys that an operation, ``joined``, has put behind others: ``before`` is how these read.

    ``way`` are the nodes around the join, or around the call that leads there, in the function in
    which the attention stands too, and ``attention`` those around that.
    """

    joined: Operation
    before: cst.CSTNode | None
    way: tuple[cst.CSTNode, ...]
    attention: tuple[cst.CSTNode, ...]


def over_joined_keys(rule: Rule, view: View) -> Iterator[Report]:
    """A report for each causal attention whose own keys stand behind others."""
    for operation in view.graph.operations:
        found = None if operation.elsewhere else view.remembered(behind, operation)
        if found is not None:
            yield _report(rule, operation, found, view)


def _report(rule: Rule, operation: Operation, found: Behind, view: View) -> Report:
    asked, query = next(operation.tensors())
    message = f"`{view.quote(operation.node)}` {told(found, view)}"
    return Report(
        rule,
        operation,
        operation.node,
        message,
        None if asked.node is None else Culprit(asked.node, query),
        view.sizes(query),
        "one query sees all S keys, and query i of L the keys up to S - L + i: no mask for one new"
        " query, and for more the triangle from the lower right corner on",
    )


def told(found: Behind, view: View) -> str:
    """What a causal mask from the first key on does where others stand in front."""
    joined = found.joined.node if not found.joined.elsewhere else None
    others = "others" if found.before is None else f"`{view.quote(found.before)}`"
    where = "" if joined is None else f" (joined on {view.place(joined)})"
    return (
        "shows query i the keys 0 to i, counted from the first of all keys, but the queries' own"
        f" keys stand behind {others}{where}: one query with a cache sees nothing but the first key"
    )


def behind(operation: Operation, view: View) -> Behind | None:
    """The join that has put the own keys of a causal attention behind others, or None."""
    event = operation.event
    if not isinstance(event, Attention) or operation.clash is not None or operation.dismissed:
        return None
    tensors = list(operation.tensors())
    if not _is_causal(operation) or [each.name for each, _ in tensors[:2]] != ["query", "key"]:
        return None
    return put_behind(tensors[1][1], (event.query, event.key), operation, view)


def put_behind(
    keys: Tensor, positions: tuple[Axis, Axis], attention: Operation, view: View
) -> Behind | None:
    """The join that has put the keys of the queries' own positions behind others, or None.

    ``positions`` are the axis of the queries' positions and that of the keys', and ``attention``
    is where every run that joins has to come.
    """
    query, key = positions
    for made, cut in _joins(keys, view):
        before = _joined_behind(made, query, view)
        if cut and not _is_whole(made, key, view):
            continue
        found = None if before is None else _always_reached(made, attention, view)
        if before is not None and found is not None:
            return Behind(made, before.node, *found)
    return None


def _is_causal(operation: Operation) -> bool:
    """Whether an attention is causal whatever it is given: by a constant, or as it was made."""
    flag = next((each for each in operation.operands if each.name == "is_causal"), None)
    if flag is None or flag.value != TRUE:
        return False
    node = flag.node
    return isinstance(node, cst.Attribute) or (isinstance(node, cst.Name) and node.value == "True")


def _joins(tensor: Tensor, view: View) -> Iterator[tuple[Operation, bool]]:
    """The joins that may have made a tensor, if its positions stayed in their order afterwards.

    Each with whether something was cut out of what it gave: keys of what are keys and values.
    """
    waiting, steps = [(tensor, False)], 0
    while waiting and steps < _MOST_STEPS:
        steps += 1
        given, cut = waiting.pop()
        for made in view.graph.known_makers(given):
            sources = [source for _, source in made.tensors()]
            if isinstance(made.event, Joining):
                yield made, cut
            elif len(sources) == 1 and isinstance(made.event, Selection):
                waiting.append((sources[0], True))
            elif len(sources) == 1 and (
                isinstance(made.event, _PASSING) or made.kind in _PASSING_KINDS
            ):
                waiting.append((sources[0], cut))


def _is_whole(joined: Operation, keys: Axis, view: View) -> bool:
    """Whether there certainly are as many keys as positions were joined."""
    event, output = joined.event, as_tensor(joined.output)
    if not isinstance(event, Joining) or event.axis is None or output is None:
        return False
    axis = _axis(output, event.axis, view)
    return axis is not None and view.equal(axis.size, keys.size)


@record
class _Before:
    """How what stands in front is written, where that is one expression."""

    node: cst.CSTNode | None


def _joined_behind(made: Operation, query: Axis, view: View) -> _Before | None:
    """What the positions of the queries were joined behind, along their own axis; or None."""
    event = made.event
    assert isinstance(event, Joining)
    tensors = list(made.tensors())
    unknown = _unknown_before(made)
    if len(tensors) == 1 and unknown is not None and event.kind == "cat" and event.axis is not None:
        own = _axis(tensors[0][1], event.axis, view)
        return _Before(unknown) if own and _are_positions_of_one(own, query, view) else None
    if event.kind != "cat" or event.axis is None or len(tensors) < 2 or made.clash is not None:
        return None
    along = [_axis(tensor, event.axis, view) for _, tensor in tensors]
    *first, own = along
    if own is None or not _are_positions_of_one(own, query, view):
        return None
    for axis in first:
        # One key in front of all may be there for the first query, which has no other then.
        if axis is not None and (axis.is_one or _are_positions_of_one(axis, query, view)):
            return None
    return _Before(tensors[0][0].node if len(first) == 1 else None)


def _unknown_before(made: Operation) -> cst.CSTNode | None:
    """The first of two that are joined, of which nothing is known: ``cat([self.cache[0], k])``."""
    arguments = made.node.args if isinstance(made.node, cst.Call) else ()
    items = arguments[0].value if arguments else None
    if not isinstance(items, cst.List | cst.Tuple) or len(items.elements) != 2:
        return None
    first, last = (each.value for each in items.elements)
    known = [operand.node for operand, _ in made.tensors()]
    return first if known == [last] else None


def _axis(tensor: Tensor, index: int, view: View) -> Axis | None:
    shape = view.shape(tensor)
    if shape is None:
        return None
    listed = shape.lead if index >= 0 else shape.tail
    return listed[index] if -len(listed) <= index < len(listed) else None


def _are_positions_of_one(left: Axis, right: Axis, view: View) -> bool:
    """Whether two axes are positions of one tensor, or called by one name; or both are of one."""
    if left.is_one and right.is_one:
        return True
    named = left.size is not None and left.size.number is None
    return are_one(left, right) or (named and view.equal(left.size, right.size))


# -- which runs come there -------------------------------------------------------------------------


def _always_reached(
    joined: Operation, attention: Operation, view: View
) -> tuple[tuple[cst.CSTNode, ...], tuple[cst.CSTNode, ...]] | None:
    """The nodes around a join and around an attention that each run with the join comes to.

    Both are seen from the function that has led to both; None where some runs go elsewhere.
    """
    ours = [*(call.node for call in joined.place.calls), joined.node]
    theirs = [*(call.node for call in attention.place.calls), attention.node]
    shared = 0
    while shared < min(len(ours), len(theirs)) - 1 and ours[shared] is theirs[shared]:
        shared += 1
    way, other = (view.source.around(nodes[shared]) for nodes in (ours, theirs))
    if not way or not other or _may_pass_by(other, way, view):
        return None
    if _leaves_between(way, other, view):
        return None
    deeper = (view.source.around(node) for node in theirs[shared + 1 :])
    return None if any(_may_pass_by(each, (), view) for each in deeper) else (way, other)


def _may_pass_by(way: tuple[cst.CSTNode, ...], known: tuple[cst.CSTNode, ...], view: View) -> bool:
    """Whether a condition decides about a node that does not decide about the `known` one too."""
    start = max((i for i, each in enumerate(way) if isinstance(each, cst.FunctionDef)), default=0)
    for outer, chosen in itertools.pairwise(way[start:]):
        if isinstance(outer, cst.Match | cst.ExceptHandler | cst.BooleanOperation):
            return True
        if not isinstance(outer, cst.If | cst.IfExp | cst.While) or chosen is outer.test:
            continue
        if chosen not in known and not _is_setting(outer.test, view):
            return True
    return False


def _leaves_between(
    way: tuple[cst.CSTNode, ...], attention: tuple[cst.CSTNode, ...], view: View
) -> bool:
    """Whether the function may be left, or says what it is given, between a join and a node."""
    inside = next((each for each in reversed(way) if isinstance(each, cst.FunctionDef)), None)
    if inside is None or inside not in attention:
        return True
    start, end = view.source.span(way[-1]), view.source.span(attention[-1])
    statement = next(each for each in reversed(attention) if isinstance(each, _STATEMENTS))
    return any(
        start < view.source.span(each) < end and not isinstance(each, cst.FunctionDef)
        for each in parts(inside)
        if isinstance(each, _LEAVING) and each not in parts(statement)
    )


_STATEMENTS = (cst.SimpleStatementLine, cst.BaseCompoundStatement)


def _is_setting(test: cst.BaseExpression, view: View) -> bool:
    """Whether a condition asks nothing but attributes that are given a value once, when made."""
    asked = test.expression if isinstance(test, cst.UnaryOperation) else test
    if isinstance(asked, cst.BooleanOperation):
        return _is_setting(asked.left, view) and _is_setting(asked.right, view)
    if not isinstance(asked, cst.Attribute) or not isinstance(asked.value, cst.Name):
        return False
    given = re.findall(rf"\.{re.escape(asked.attr.value)}\s*=(?!=)", view.source.text)
    return len(given) == 1
