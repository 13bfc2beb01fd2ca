"""Candidate fixes for a reshape to another number of elements: another size, or one inferred."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from attncheck.algebra.size import Size, product
from attncheck.checks.laid_out import split_apart
from attncheck.checks.report import Report
from attncheck.checks.view import View
from attncheck.operators.events import Attention, Reshaping
from attncheck.repair.candidate import Candidate, edit
from attncheck.repair.heads import size_text
from attncheck.repair.wording import call_with
from attncheck.values.value import Parameter, Value, as_size


def _held_sizes(report: Report, view: View) -> dict[str, Size]:
    """The names that hold one size in the function of the finding, with the last that they hold."""
    traced = view.traced
    sites = traced.sites if traced.function is not None else traced.inner.get(report.place, [])
    line = view.line(report.node)
    return {
        site.name: view.facts.resolve(size)
        for site in sites
        if site.name.isidentifier() and site.name.strip("_") and view.line(site.node) <= line
        if _is_computed_size(site.value) and (size := as_size(site.value)) is not None
    }


def _is_computed_size(value: Value) -> bool:
    """Whether a value is a size: also one that is computed from an argument nobody knows."""
    if type(value) is Parameter and value.tensor.operation is None:
        return False
    return as_size(value) is not None


def inferred(report: Report, view: View) -> Iterator[Candidate]:
    """One of the sizes left to be inferred."""
    node = report.node
    if not isinstance(node, cst.Call):
        return
    if view.remembered(split_apart, report.operation) is not None:
        yield from _copied(node)
        return
    yield from _by_head(report, view)
    # A pattern's sizes are keywords, and one of them follows from the others anyway.
    by_name = report.operation.spelling.startswith("einops")
    arguments = [each.value for each in node.args if (each.keyword is not None) is by_name]
    # A function is given the tensor as well.
    own = {operand.node for operand, _ in report.operation.tensors()}
    arguments = [each for each in arguments if each not in own]
    if len(arguments) == 1 and isinstance(arguments[0], cst.Tuple):
        arguments = [element.value for element in arguments[0].elements]
    written = {view.code(argument) for argument in arguments}
    if "-1" in written:
        return
    last = report.expected[-1] if report.expected else None
    text = None if last is None else size_text(report, view, last)
    if text is not None and arguments:
        yield edit(arguments[-1], text, f"use {text}", safe=False)
    held = _held_sizes(report, view)
    yield from _counted(
        report, view, arguments, {n: s for n, s in held.items() if n not in written}
    )
    for name in held:
        if name in written:
            continue
        for argument in reversed(arguments):
            yield edit(argument, name, f"use {name}", safe=False)
    if not by_name:
        for place in reversed(range(len(arguments))):
            if not _leaves_one(report, view, place - len(arguments)):
                words = "let this size follow from the others"
                yield edit(arguments[place], "-1", words, safe=False)


def _counted(
    report: Report, view: View, arguments: list[cst.BaseExpression], held: dict[str, Size]
) -> Iterator[Candidate]:
    """Another size with which the numbers of elements agree: of a name, or of the tensor itself."""
    event, operand = report.operation.event, next(report.operation.tensors(), None)
    if not isinstance(event, Reshaping) or event.outcome.before is None or operand is None:
        return
    sizes = [axis.size for axis in event.outcome.shape.axes]
    own = view.sizes(operand[1]) or ()
    read = _read_from(operand[0].node, view)
    if len(sizes) != len(arguments):
        return
    known = [*held.items(), *((read.format(axis), size) for axis, size in enumerate(own) if read)]
    for place in reversed(range(len(sizes))):
        others = [size for size in (*sizes[:place], *sizes[place + 1 :]) if size is not None]
        if len(others) < len(sizes) - 1:
            continue
        for text, size in known:
            if size is not None and _is_one(product([*others, size]), event.outcome.before, view):
                yield edit(arguments[place], text, f"use {text}", safe=False)


def _read_from(node: cst.CSTNode | None, view: View) -> str | None:
    """How an axis of the reshaped tensor is read, if it has a name."""
    return f"{view.code(node)}.shape[{{}}]" if isinstance(node, cst.Name) else None


def _is_one(left: Size, right: Size, view: View) -> bool:
    """Whether two numbers of elements are one: with the numbers of the run, if they have any."""
    if view.equal(left, right):
        return True
    number = left.evaluate()
    return number is not None and number == right.evaluate()


def _copied(node: cst.Call) -> Iterator[Candidate]:
    """The reshape of the same name, which copies where there is no such view."""
    if isinstance(node.func, cst.Attribute):
        text = node.func.attr.value.replace("view", "reshape")
        yield edit(node.func.attr, text, f"use {text}, which copies where it has to")


def _leaves_one(report: Report, view: View, place: int) -> bool:
    """Whether the other sizes use all elements up: a 1 in this place is not what was meant."""
    event = report.operation.event
    if not isinstance(event, Reshaping) or event.outcome.before is None:
        return False
    sizes = [axis.size for axis in event.outcome.shape.axes]
    if len(sizes) < -place:
        return False
    del sizes[place]
    known = [size for size in sizes if size is not None]
    return len(known) == len(sizes) and view.equal(product(known), event.outcome.before)


def _by_head(report: Report, view: View) -> Iterator[Candidate]:
    """Weights head by head, where a layer has averaged them over its heads."""
    made = None if report.culprit is None else view.maker(report.culprit.tensor)
    given = set() if made is None else {operand.name for operand in made.operands}
    if made is None or not isinstance(made.event, Attention) or "averaged" in given:
        return
    if isinstance(made.node, cst.Call) and made.spelling.endswith("MultiheadAttention"):
        text = call_with(view, made.node, "average_attn_weights=False")
        yield edit(made.node, text, "weights of each head", safe=False)
