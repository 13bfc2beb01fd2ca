"""Sizes that something was made with, read from another axis, or by another name.

``generate_square_subsequent_mask(x.shape[0])`` may have meant ``x.shape[1]``; of
``torch.full((new, new), ...)`` one size may be ``total``.
"""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from attncheck.algebra.size import Size
from attncheck.checks.report import Report
from attncheck.checks.view import View
from attncheck.graph import Operation
from attncheck.operators.events import Creation, Elementwise, Triangle
from attncheck.repair.candidate import Candidate, edit
from attncheck.repair.heads import size_text
from attncheck.values.tensor import Tensor
from attncheck.values.value import as_size

_MOST_AXES = 4
_MOST_STEPS = 8


def other_sizes(report: Report, view: View) -> Iterator[Candidate]:
    """Other sizes for the tensor that a clash blames, where it was made from sizes."""
    clash = report.operation.clash
    made = None if report.culprit is None else _creation(view, report.culprit.tensor)
    if clash is None or made is None or not isinstance(made.node, cst.Call):
        return
    sizes = list(_sizes(made.node))
    for size in sizes:
        yield from _other_axes(size, view)
    if made.place.function != report.operation.place.function:
        return  # the names are those of the function that the clash is in
    for wanted in (clash.left, clash.right):
        text = None if wanted is None else _written(report, view, wanted)
        if text is None:
            continue
        for size in reversed(sizes):
            if view.code(size) != text:
                yield edit(size, text, f"use {text}", safe=False)


def _written(report: Report, view: View, size: Size) -> str | None:
    """How the function writes a size; one that is a number in this call by the one name it has."""
    if size.number is None:
        return size_text(report, view, size)
    operation = report.operation
    names = {
        site.name
        for sites, facts in view.sites_in(operation.place.function)
        for site in sites
        if (held := as_size(site.value)) is not None
        and facts.resolve(held) == size
        and site.name.isidentifier()
        and view.line(site.node) < view.line(operation.node)
    }
    return names.pop() if len(names) == 1 else None


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
        if isinstance(argument.value, cst.Tuple | cst.List):
            yield from (element.value for element in argument.value.elements)
        elif isinstance(argument.value, cst.Name | cst.Subscript | cst.Call | cst.Attribute):
            yield argument.value


def _other_axes(size: cst.BaseExpression, view: View) -> Iterator[Candidate]:
    """``x.shape[1]`` and its like for ``x.shape[0]``; ``x.size(1)`` for ``x.size(0)``."""
    index: cst.BaseExpression | None = None
    if isinstance(size, cst.Subscript) and len(size.slice) == 1:
        part = size.slice[0].slice
        reads = isinstance(size.value, cst.Attribute) and size.value.attr.value == "shape"
        index = part.value if reads and isinstance(part, cst.Index) else None
    elif isinstance(size, cst.Call) and isinstance(size.func, cst.Attribute) and size.args:
        index = size.args[0].value if size.func.attr.value == "size" else None
    if not isinstance(index, cst.Integer):
        return
    for axis in range(_MOST_AXES):
        if str(axis) != index.value:
            yield edit(index, str(axis), f"the size of axis {axis}", safe=False)
