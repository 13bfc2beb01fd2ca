"""Sizes that something was made with, read from another axis, or by another name.

``generate_square_subsequent_mask(x.shape[0])`` may have meant ``x.shape[1]``; of
``torch.full((new, new), ...)`` one size may be ``total``.
"""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from attncheck.algebra.size import ONE, Size
from attncheck.checks.report import Report
from attncheck.checks.view import View
from attncheck.graph import Operation
from attncheck.operators.events import Creation, Elementwise, Triangle
from attncheck.repair.candidate import Candidate, edit
from attncheck.repair.heads import size_text
from attncheck.repair.reads import read_axis
from attncheck.tracer.machine import ShapeSite
from attncheck.values.tensor import Tensor
from attncheck.values.value import Instance, Value, as_size

_MOST_AXES = 4
_MOST_STEPS = 8
#: How sizes are written, one by one or together.
_WRITTEN = (cst.Name, cst.Subscript, cst.Call, cst.Attribute, cst.Tuple, cst.List)


def other_sizes(report: Report, view: View) -> Iterator[Candidate]:
    """Other sizes for the tensor that a clash blames, where it was made from sizes."""
    clash = report.operation.clash
    made = None if report.culprit is None else _creation(view, report.culprit.tensor)
    if clash is None or made is None or not isinstance(made.node, cst.Call):
        return
    sizes = list(_sizes(made.node))
    for size in sizes:
        yield from _other_axes(size, view)
    for wanted in (clash.left, clash.right):
        text = None if wanted is None else _written(report, view, wanted, made)
        if text is None:
            continue
        for size in reversed(sizes):
            if view.code(size) != text:
                yield edit(size, text, f"use {text}", safe=False)


def more_sizes(report: Report, view: View) -> Iterator[Candidate]:
    """The sizes of axes that stand before its own, for a tensor that lacks them from the start."""
    culprit, expected = report.culprit, report.expected
    made = None if culprit is None else _creation(view, culprit.tensor)
    own = None if culprit is None else view.sizes(culprit.tensor)
    if made is None or not isinstance(made.node, cst.Call) or not expected or own is None:
        return
    lacking = expected[: len(expected) - len(own)]
    texts = [
        None if size is None or size == ONE else _written(report, view, size, made)
        for size in lacking
    ]
    known = [text for text in texts if text is not None]
    argument = _shape_argument(made.node)
    if argument is None or not known or len(known) < len(texts) or expected[len(texts) :] != own:
        return
    sizes = _listed(argument)
    text = ", ".join([*known, *map(view.code, sizes)])
    words = f"make it with {', '.join(known)} in front"
    if isinstance(argument, cst.Tuple):  # an edit is made between its brackets
        yield edit(argument, text, words, safe=False)
    else:
        yield edit(argument, f"({text})", words, safe=False)


def _shape_argument(call: cst.Call) -> cst.BaseExpression | None:
    """The argument of a call that says which sizes to make."""
    named = [each.value for each in call.args if each.keyword and each.keyword.value == "shape"]
    first = [each.value for each in call.args[:1] if each.keyword is None and not each.star]
    return next(iter([*named, *first]), None)


def _listed(argument: cst.BaseExpression) -> list[cst.BaseExpression]:
    """The sizes in a tuple or list, or the one size that stands alone."""
    if isinstance(argument, cst.Tuple | cst.List):
        return [element.value for element in argument.elements]
    return [argument]


def _written(report: Report, view: View, size: Size, made: Operation) -> str | None:
    """How the function that made the tensor writes a size; a number by the one name it has."""
    if size.number is not None:
        return name_of_size(view, size, made.place.function, made.node)
    if made.place.function != report.operation.place.function:
        return None  # the names are those of the function that the clash is in
    return size_text(report, view, size)


def name_of_size(view: View, size: Size, function: str, node: cst.CSTNode) -> str | None:
    """The only name that holds a size before an expression of a function; else the only attribute.

    A number may be that of several things in one call.
    """
    names: dict[str, None] = {}
    for sites, facts in view.sites_in(function):
        for site in sites:
            if not site.name.isidentifier() or view.line(site.node) >= view.line(node):
                continue
            for name, value in _held(site):
                held = as_size(value)
                if held is not None and facts.resolve(held) == size and name.strip("_"):
                    names[name] = None
    for kind in ([name for name in names if "." not in name], list(names)):
        if kind:
            return kind[0] if len(kind) == 1 else None
    return None


def _held(site: ShapeSite) -> Iterator[tuple[str, Value]]:
    """A name with its value, and the attributes of an object."""
    yield site.name, site.value
    if isinstance(site.value, Instance):
        for name, value in site.value.attributes.items():
            yield f"{site.name}.{name}", value


def _creation(view: View, tensor: Tensor) -> Operation | None:
    """The operation that made a tensor from sizes, before its elements were changed one by one."""
    for _ in range(_MOST_STEPS):
        made = view.maker(tensor)
        if made is None or isinstance(made.event, Creation):
            return made
        tensors = [operand for _, operand in made.tensors()]
        if len(tensors) != 1 or not isinstance(made.event, Elementwise | Triangle | type(None)):
            return None
        tensor = tensors[0]
    return None


def _sizes(call: cst.Call) -> Iterator[cst.BaseExpression]:
    """The sizes of a call as they are written, one by one or in a tuple."""
    for argument in call.args:
        if argument.keyword is not None:
            continue
        if isinstance(argument.value, _WRITTEN):
            yield from _listed(argument.value)


def _other_axes(size: cst.BaseExpression, view: View) -> Iterator[Candidate]:
    """``x.shape[1]`` and its like for ``x.shape[0]``; ``x.size(1)`` for ``x.size(0)``."""
    read = read_axis(size)
    if read is None or not isinstance(read.index, cst.Integer):
        return
    for axis in range(_MOST_AXES):
        if str(axis) != read.index.value:
            yield edit(read.index, str(axis), f"the size of axis {axis}", safe=False)
