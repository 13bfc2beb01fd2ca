"""Attention whose result is added to what it attended to, and not to what has asked.

A residual connection goes around a sub-layer, from its queries to its output (Vaswani et al. 2017,
"Attention Is All You Need", section 3.1): there is an output for each query, not for each key.
``tgt + cross(memory, tgt, tgt)`` runs where both sequences happen to be of one length.
"""

from __future__ import annotations

from collections.abc import Iterator

from attncheck.checks.report import Culprit, Report, text_of
from attncheck.checks.runs import are_one
from attncheck.checks.view import View
from attncheck.graph import Operand, Operation
from attncheck.operators.events import COPYING, Attention, Elementwise
from attncheck.record import record
from attncheck.rule import Rule
from attncheck.values.tensor import Tensor

_MOST_STEPS = 4


@record
class AddedBack:
    """An attention, its operands for queries, keys and values, and the sum that takes its keys."""

    attention: Operation
    operands: tuple[Operand, Operand, Operand]
    total: Operation


def added_back(rule: Rule, view: View) -> Iterator[Report]:
    """A report for each attention whose result is added to its keys."""
    for found in view.once(_all_added_back):
        query, key, _ = found.operands
        asked, attended = view.quote(query.node), view.quote(key.node)
        event = found.attention.event
        assert isinstance(event, Attention)
        tensor = next(tensor for operand, tensor in found.attention.tensors() if operand is query)
        assert query.node is not None
        sizes = [text_of((axis.size,)).strip("(),") for axis in (event.query, event.key)]
        yield Report(
            rule,
            found.attention,
            found.attention.node,
            f"`{view.quote(found.attention.node)}` gives a result for each position of `{asked}`,"
            f" and `{view.quote(found.total.node)}` adds it to `{attended}`, which it attends to:"
            " the residual belongs to what asks",
            Culprit(query.node, tensor),
            None,
            f"`{attended}` to ask and `{asked}` to be attended to, so that there is a result for"
            f" each position of `{attended}`",
            hidden=f"hidden while {sizes[0]} == {sizes[1]}",
            named=True,
        )


def _all_added_back(view: View) -> list[AddedBack]:
    found = (_added_back(operation, view) for operation in view.graph.operations)
    return [each for each in found if each is not None]


def exchanged_sides(operation: Operation, view: View) -> AddedBack | None:
    """What an attention's result is added to, if that is its keys; None if it is right."""
    found = view.once(_all_added_back)
    return next((each for each in found if each.attention is operation), None)


def _added_back(total: Operation, view: View) -> AddedBack | None:
    tensors = [tensor for _, tensor in total.tensors()]
    event = total.event
    if total.elsewhere or not isinstance(event, Elementwise) or event.symbol != "+":
        return None
    for result, other in (tensors, tensors[::-1]) if len(tensors) == 2 else ():
        made = _attention_behind(result, view)
        given = {} if made is None else {each.name: (each, one) for each, one in made.tensors()}
        if made is None or not given.keys() >= {"query", "key", "value"}:
            continue
        (query, asked), (key, keys), (value, values) = (
            given[name] for name in ("query", "key", "value")
        )
        if query.node is None or key.node is None or value.node is None:
            continue
        if _are_as_long(made, view):
            continue
        if are_one(other, keys) and are_one(keys, values) and not are_one(other, asked):
            return AddedBack(made, (query, key, value), total)
    return None


def _are_as_long(made: Operation, view: View) -> bool:
    """Whether there are as many queries as keys, or nothing is known of either."""
    event = made.event
    assert isinstance(event, Attention)
    query, key = event.query.size, event.key.size
    return query is None or key is None or view.equal(query, key)


def _attention_behind(tensor: Tensor, view: View) -> Operation | None:
    """The attention whose result a tensor is, or a copy of it with elements dropped out."""
    made = view.graph.maker(tensor)
    for _ in range(_MOST_STEPS):
        if made is None or isinstance(made.event, Attention):
            break
        passing = made.kind in COPYING or made.kind == "dropout"
        made = view.graph.maker(made.source) if passing and made.source is not None else None
    return None if made is None or made.elsewhere or made.clash is not None else made
