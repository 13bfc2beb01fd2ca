"""A reshape to another number of elements, a split into parts that do not add up, no such view."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from attncheck.algebra.facts import Verdict
from attncheck.algebra.memory import Why
from attncheck.algebra.quotients import cancel_quotients
from attncheck.algebra.reshape import Order
from attncheck.algebra.size import Size, product
from attncheck.checks import plain
from attncheck.checks.constructed import layer_of
from attncheck.checks.heads import head_split
from attncheck.checks.laid_out import split_apart, unless_one
from attncheck.checks.report import Culprit, Report, text_of
from attncheck.checks.view import View
from attncheck.graph import Operation
from attncheck.operators.events import Contraction, Fault, Reshaping
from attncheck.rule import Rule

RULE = Rule(
    "ATN105",
    "reshape-size",
    "element counts of a reshape differ, or a view that would have to copy",
    fix="unsafe",
)
ON = (Fault.COUNT, Fault.SPLIT, Reshaping)

#: Why two axes do not lie beside each other; behind it stands how the elements lie.
_REASONS = {
    Why.MOVED: "a transpose only changes strides, and the elements still lie as",
    Why.CUT: "a slice copies nothing, and what it leaves out still lies between the rows of",
    Why.COPIED: "copies that only a stride of 0 makes have no place among the elements, which are",
}


def check(operation: Operation, view: View) -> Iterator[Report]:
    """Report element counts that differ, but for a split into heads, which is ATN108."""
    if operation.clash is None:
        yield from _detour(operation, view)
        yield from _not_beside(operation, view)
    elif head_split(operation, view) is None:
        yield from plain.report(RULE, operation, view)


def _detour(operation: Operation, view: View) -> Iterator[Report]:
    """A last size that only this reshape asks for: there was another, and the next layer takes it.

    Nothing says that the two differ, and nothing but the reshape needs them to be equal.
    """
    event = operation.event
    operand, tensor = next(operation.tensors(), (None, None))
    if not isinstance(event, Reshaping) or event.outcome.count is not Verdict.UNKNOWN:
        return
    kept = _kept(event)
    taker = None if kept is None else _taker(operation, view, kept)
    if kept is None or taker is None or operand is None or tensor is None or operand.node is None:
        return
    sizes = tuple(axis.size for axis in event.outcome.shape.axes)
    expected = (*sizes[:-1], kept)
    yield Report(
        RULE,
        operation,
        operation.node,
        f"`{view.quote(operation.node)}` calls {kept} features {sizes[-1]}, and"
        f" `{view.quote(taker.node)}`, line {view.line(taker.node)}, takes {kept}",
        Culprit(operand.node, tensor),
        expected,
        f"so that {text_of(expected)} holds as many elements, whatever {sizes[-1]} is",
        hidden=f"hidden while {kept} == {sizes[-1]}",
    )


def _not_beside(operation: Operation, view: View) -> Iterator[Report]:
    """A view that merges axes which do not lie beside each other in memory: torch refuses it."""
    event, found = operation.event, view.remembered(split_apart, operation)
    operand, tensor = next(operation.tensors(), (None, None))
    if found is None or operand is None or tensor is None or operand.node is None:
        return
    if not isinstance(event, Reshaping) or event.outcome.order is Order.SCRAMBLED:
        return  # it takes more than a copy, and ATN303 says what
    if _is_tried(operation, view):
        return
    memory, apart = found
    merged = f"{memory.sizes[apart.outer]} and {memory.sizes[apart.inner]}"
    symbol = unless_one(operation, memory, view)
    yield Report(
        RULE,
        operation,
        operation.node,
        f"`{view.quote(operation.node)}` merges axes of {merged} that do not lie beside each other"
        f" in memory: {_REASONS[apart.why]} {text_of(memory.as_it_lies)}",
        Culprit(operand.node, tensor, view.code(operand.node)),
        view.sizes(tensor),
        "with its elements in that order: `view` copies nothing, `reshape` does where it has to",
        hidden="" if symbol is None else f"hidden while {symbol} == 1",
    )


def _is_tried(operation: Operation, view: View) -> bool:
    """Whether what is raised may be caught: then there is another way on."""
    around = view.source.around(operation.node)
    return any(isinstance(outer, cst.Try) and bool(outer.handlers) for outer in around)


def _kept(event: Reshaping) -> Size | None:
    """The last size with which a reshape would hold as many elements by what they are."""
    outcome = event.outcome
    sizes = [axis.size for axis in outcome.shape.axes]
    if outcome.before is None or len(sizes) < 2 or any(size is None for size in sizes):
        return None
    others = product(size for size in sizes[:-1] if size is not None)
    last = sizes[-1]
    if last is not None and any(symbol.flexible or symbol.found for symbol in last.symbols()):
        return None  # nobody knows that it is another size
    kept = cancel_quotients(outcome.before).divided_by(others)
    return None if kept is None or kept == sizes[-1] else kept


def _taker(operation: Operation, view: View, size: Size) -> Operation | None:
    """The layer that is given what a reshape makes and was made for this very size."""
    for other in view.graph.users(operation):
        event = other.event
        if layer_of(other) is None or not isinstance(event, Contraction):
            continue
        if event.pairs and event.pairs[0].right.size == size:
            return other if event.pairs[0].verdict is Verdict.UNKNOWN else None
    return None
