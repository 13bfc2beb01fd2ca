"""Cosines multiplied by the logarithm of their scale: a parameter that nothing exponentiates.

The temperature of cosine attention and of contrastive logits is learned as a logarithm, so that it
stays positive: ``Parameter(log(1 / 0.07))``, used as ``exp()`` of it (Radford et al. 2021, "CLIP",
figure 3; Liu et al. 2022, "Swin Transformer V2", equation 2). Cosines lie in [-1, 1]; times 2.7
instead of 14.3 they leave a softmax nearly flat. Only logarithms of plain numbers tell: that of a
length may be the scale itself (Henry et al. 2020, "Query-Key Normalization", section 3).
"""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from attncheck.attention import scores_product
from attncheck.checks.report import Culprit, Report
from attncheck.checks.scales import graphs_of
from attncheck.checks.view import View
from attncheck.graph import Operand, Operation
from attncheck.meaning.positions import is_moved
from attncheck.operators.events import (
    COPYING,
    Contraction,
    Einsum,
    Elementwise,
    Reduction,
)
from attncheck.record import record
from attncheck.rule import Rule
from attncheck.softmaxes import MOST_STEPS
from attncheck.tree.pairs import parts
from attncheck.values.tensor import Tensor
from attncheck.values.value import as_tensor

_PARAMETER = "torch.nn.Parameter"
_FACTORS = 2
#: What bounds a number, and leaves it what it is.
_BOUNDING = frozenset({"clamp", "clip", "minimum", "maximum"})
_NUMBERS = (cst.Integer, cst.Float)


@record
class LogScale:
    """A factor of cosines, and where its parameter was given a logarithm."""

    operand: Operand
    tensor: Tensor
    logarithm: cst.CSTNode


def logarithmic_scales(rule: Rule, view: View) -> Iterator[Report]:
    """A report for each product of cosines with the logarithm of a scale."""
    for operation in view.graph.operations:
        found = None if operation.elsewhere else view.remembered(log_scale, operation)
        if found is None or found.operand.node is None:
            continue
        name = view.quote(found.operand.node)
        yield Report(
            rule,
            operation,
            operation.node,
            f"`{view.quote(operation.node)}` multiplies cosines by `{name}`, which starts as a"
            f" logarithm, `{view.quote(found.logarithm)}` ({view.place(found.logarithm)}), and is"
            " never exponentiated: they are scaled by far less than was meant, and softmax is"
            " nearly flat",
            Culprit(found.operand.node, found.tensor),
            view.sizes(found.tensor),
            f"the same shape, exponentiated: `{name}.exp()`",
            named=True,
        )


def log_scale(operation: Operation, view: View) -> LogScale | None:
    """The factor of a product of cosines that is the logarithm of a learned scale, or None."""
    event, factors = operation.event, list(operation.tensors())
    if not isinstance(event, Elementwise) or event.symbol != "*" or len(factors) != _FACTORS:
        return None
    for (operand, tensor), (_, other) in (factors, factors[::-1]):
        parameter = _parameter(tensor, view)
        logarithm = None if parameter is None else _logarithm(parameter, view)
        if logarithm is not None and _are_cosines(other, operation, view):
            return LogScale(operand, tensor, logarithm)
    return None


def _parameter(tensor: Tensor, view: View) -> Operation | None:
    """The operation that made a parameter, which a tensor is at most a bounded view of."""
    for _ in range(MOST_STEPS):
        made = _maker(tensor, view)
        if made is None or made.spelling == _PARAMETER or made.source is None:
            return made if made is not None and made.spelling == _PARAMETER else None
        bounds = isinstance(made.event, Elementwise) and made.event.symbol in _BOUNDING
        if not (bounds or is_moved(made)):
            return None
        tensor = made.source
    return None


def _maker(tensor: Tensor, view: View) -> Operation | None:
    made = (graph.maker(tensor) for graph in graphs_of(view))
    return next((each for each in made if each is not None), None)


# -- how a parameter starts ------------------------------------------------------------------------


def _logarithm(parameter: Operation, view: View) -> cst.CSTNode | None:
    """The logarithm of a number that a parameter starts as, or is filled with later."""
    graph = next(graph for graph in graphs_of(view) if graph.has(parameter))
    filled = [parameter.number]
    found = None if parameter.source is None else _started(parameter.source, view)
    for later in graph.users(parameter):
        if later.kind in COPYING or later.spelling.endswith(".data"):
            filled.append(later.number)
    for later in graph.after(parameter):
        if not later.read.isdisjoint(filled) and later.kind == "written_over":
            values = (each.node for each in later.operands if each.name in ("val", "value"))
            found = next(filter(_is_logarithm, values), None)
    return found


def _started(tensor: Tensor, view: View) -> cst.CSTNode | None:
    """The logarithm that a tensor of one number throughout was made of."""
    for _ in range(MOST_STEPS):
        made = _maker(tensor, view)
        if made is None:
            return None
        symbol = made.event.symbol if isinstance(made.event, Elementwise) else None
        if symbol == "log":
            mark = None if made.source is None else view.meanings.mark(made.source)
            return made.node if mark is not None and mark.is_constant else None
        numbers = [each.node for each in made.operands if as_tensor(each.value) is None]
        found = next(filter(_is_logarithm, numbers), None)
        if found is not None or made.source is None or not (symbol == "*" or is_moved(made)):
            return found
        tensor = made.source
    return None


def _is_logarithm(node: cst.CSTNode | None) -> bool:
    """Whether an expression is the natural logarithm of a number as written, or of 1 over one."""
    if isinstance(node, cst.UnaryOperation):
        node = node.expression
    if not isinstance(node, cst.Call) or len(node.args) != 1:
        return False
    name = node.func.attr if isinstance(node.func, cst.Attribute) else node.func
    if not isinstance(name, cst.Name) or name.value != "log":
        return False
    inner = node.args[0].value
    if isinstance(inner, cst.BinaryOperation) and isinstance(inner.operator, cst.Divide):
        over = inner.left
        if isinstance(over, _NUMBERS) and float(over.value) == 1:
            return True
    return not any(isinstance(each, cst.Name) for each in parts(inner))


# -- what is scaled --------------------------------------------------------------------------------


def _are_cosines(tensor: Tensor, operation: Operation, view: View) -> bool:
    """Whether a factor scales products of vectors of length 1, before or behind the product."""
    product = scores_product(view.graph, tensor)
    if product is not None and product.kind != "linear_layer":
        return all(_has_length_one(each, view) for _, each in product.tensors())
    products = [
        later
        for later in view.graph.users(operation)
        if isinstance(later.event, Contraction | Einsum) and later.kind != "linear_layer"
    ]
    if not _has_length_one(tensor, view):
        return False
    return bool(products) and all(
        _has_length_one(each, view)
        for product in products
        for _, each in product.tensors()
        if operation.number not in each.made_by
    )


def _has_length_one(tensor: Tensor, view: View) -> bool:
    """Whether vectors have been divided by their norms."""
    for _ in range(MOST_STEPS):
        made = view.graph.maker(tensor)
        if made is None or made.source is None:
            return False
        symbol = made.event.symbol if isinstance(made.event, Elementwise) else None
        if symbol == "normalize":
            return True
        if symbol == "/":
            below = [view.graph.maker(each) for _, each in made.tensors()][1:]
            return any(
                each is not None and isinstance(each.event, Reduction) and each.event.kind == "norm"
                for each in below
            )
        if not is_moved(made):
            return False
        tensor = made.source
    return False
