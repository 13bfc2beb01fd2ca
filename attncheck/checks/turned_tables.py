"""Additive scores of every query with every key that have the queries where the keys belong.

``tanh(W_q q[:, :, None] + W_k k[:, None])`` scores (query, key). With the axes of 1 exchanged it
scores (key, query): softmax over the last axis then shares out each key among the queries, and in
attention of a sequence to itself nothing raises (Bahdanau et al. 2015, section 3.1, for one query).
"""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from attncheck.attention import Site, behind
from attncheck.checks.report import Culprit, Report
from attncheck.checks.view import View
from attncheck.checks.weights import is_chosen
from attncheck.graph import Operand, Operation
from attncheck.operators.events import Elementwise
from attncheck.record import record
from attncheck.rule import Rule
from attncheck.table import Role, roles_of
from attncheck.values.value import as_tensor

_PAIR = 2
#: What stands between the sum and the scores: the last axis, the features, is summed away.
_GONE = 1


@record
class TurnedTable:
    """The sum of a table that has its queries behind its keys, and the operands that are these."""

    operation: Operation
    query: Operand
    key: Operand


def turned_tables(rule: Rule, view: View) -> Iterator[Report]:
    """A report for each additive table whose last axis has the queries."""
    for found in view.once(tables_turned):
        operation, output = found.operation, as_tensor(found.operation.output)
        if output is None:
            continue
        query, key = (view.base_name(each.node) for each in (found.query, found.key))
        yield Report(
            rule,
            operation,
            operation.node,
            f"`{view.quote(operation.node)}` puts the positions of `{query}` behind those of"
            f" `{key}`: softmax shares out each key among the queries, and values are summed over"
            " the queries; the shapes agree, so nothing raises",
            Culprit(operation.node, output),
            view.sizes(output),
            f"the same shape, with the positions of `{query}` before those of `{key}`: each query"
            " shares its weight among the keys",
            named=True,
        )


def tables_turned(view: View) -> list[TurnedTable]:
    """The additive tables of a trace that softmax and sum read the wrong way round."""
    found = (_of_site(site, view) for site in view.sites if site.sums)
    return [each for each in found if each is not None]


def _of_site(site: Site, view: View) -> TurnedTable | None:
    weights = view.shape(as_tensor(site.softmax.output))
    if site.axis is None or weights is None or not weights.closed or is_chosen(site, view):
        return None
    for made in behind(view.graph, site.scores_in):
        places = _places(made, view)
        if places is None or made.elsewhere:
            continue
        shape = view.shape(as_tensor(made.output))
        operands = [operand for operand, _ in made.tensors()]
        names = [view.base_name(operand.node) or "" for operand in operands]
        roles = roles_of(names)
        found = [roles.get(name) for name in names]
        if {*found} != {Role.QUERY, Role.KEY} or shape is None or not shape.closed:
            return None
        asks = found.index(Role.QUERY)
        if len(shape.axes) != len(weights.axes) + _GONE or places[asks] < places[1 - asks]:
            return None
        normalised = site.axis % len(weights.axes)
        turned = normalised == places[asks] == len(weights.axes) - 1
        return TurnedTable(made, operands[asks], operands[1 - asks]) if turned else None
    return None


def _places(made: Operation, view: View) -> tuple[int, int] | None:
    """Where the positions of either operand stand in a sum that pairs all with all; or None."""
    event = made.event
    if not isinstance(event, Elementwise) or event.symbol != "+" or event.broadcast is None:
        return None
    if len(list(made.tensors())) != _PAIR:
        return None
    left: list[int] = []
    right: list[int] = []
    for place, pairing in enumerate(event.broadcast.pairings):
        one, other = pairing.left, pairing.right
        if one is None or other is None:
            return None
        if one.is_one and not other.is_one:
            right.append(place)
        elif other.is_one and not one.is_one:
            left.append(place)
    return (left[0], right[0]) if len(left) == len(right) == 1 else None


def exchanged_axes(found: TurnedTable, view: View) -> tuple[tuple[cst.CSTNode, str], ...]:
    """The expressions that put the axes of 1 in, each with what the other one has there."""
    one, other = found.query.node, found.key.node
    if isinstance(one, cst.Call) and isinstance(other, cst.Call) and one.args and other.args:
        left, right = one.args[-1].value, other.args[-1].value
        if _called(one) == _called(other):
            return (left, view.code(right)), (right, view.code(left))
    if isinstance(one, cst.Subscript) and isinstance(other, cst.Subscript):
        base = [view.code(each.value) for each in (one, other)]
        keys = [view.code(one).removeprefix(base[0]), view.code(other).removeprefix(base[1])]
        return (one, base[0] + keys[1]), (other, base[1] + keys[0])
    return ()


def _called(call: cst.Call) -> str | None:
    function = call.func
    return function.attr.value if isinstance(function, cst.Attribute) else None
