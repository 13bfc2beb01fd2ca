"""Tensors joined along another axis than the one that the layer behind them takes.

The heads of an attention stand side by side before the output projection, ``cat(heads, -1)``
(Vaswani et al. 2017, section 3.2.2). Joined along time they are one behind the other, and the layer
is given the features of one.
"""

from __future__ import annotations

from collections.abc import Iterator

from attncheck.algebra.quotients import cancel_quotients
from attncheck.checks.constructed import declared, name_of
from attncheck.checks.inputs import joined_here
from attncheck.checks.report import Culprit, Report, hidden_while
from attncheck.checks.view import View
from attncheck.graph import Operation
from attncheck.operators.events import Fault, Joining
from attncheck.rule import Rule
from attncheck.values.value import as_tensor


def joined_for_layer(rule: Rule, operation: Operation, view: View) -> Iterator[Report]:
    """The report of a join whose result a layer refuses, and would take along the last axis."""
    output, event = as_tensor(operation.output), operation.event
    sizes = view.sizes(output)
    if output is None or not sizes or not isinstance(event, Joining) or event.axis is None:
        return
    for user in view.graph.users(operation):
        clash = user.clash
        if clash is None or clash.fault is not Fault.FEATURES:
            continue
        if clash.left is None or clash.right is None:
            continue
        given, wanted = cancel_quotients(clash.left), cancel_quotients(clash.right)
        if joined_here(view, output, wanted) is not operation:
            continue
        made = declared(view, user, wanted)
        layer = view.quote(user.node) if made is None else name_of(view, made)
        where = "" if made is None else f", {view.place(made.node)},"
        yield Report(
            rule,
            operation,
            operation.node,
            f"`{view.quote(operation.node)}` joins along axis {event.axis % len(sizes)} what"
            f" `{layer}`{where} takes side by side: it is made for {wanted} features, which are"
            f" there when the tensors are joined along their last axis, and is given {given}",
            Culprit(operation.node, output),
            (*sizes[:-1], wanted),
            f"{wanted} features at each position, joined along the last axis",
            axis=-1,
            hidden=hidden_while(user, view.facts),
        )
        return
