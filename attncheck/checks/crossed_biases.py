"""Biases that are added to scores along the other sequence than they were computed from.

A biaffine score has a term of its own for one side: ``dep @ U @ head.T + (head @ u)[:, None]``
(Dozat and Manning 2017, "Deep Biaffine Attention", equation 7). What is made of the left operand
of a product belongs to the rows. As both sides are of one sentence the columns are as many, and
nothing raises where the bias, or the product, has them exchanged.
"""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from attncheck.checks.report import Culprit, Report
from attncheck.checks.runs import are_one
from attncheck.checks.view import View
from attncheck.graph import Operand, Operation
from attncheck.operators.events import (
    COPYING,
    Contraction,
    Elementwise,
    NewAxis,
    Permutation,
    Selection,
    Squeeze,
)
from attncheck.record import record
from attncheck.rule import Rule
from attncheck.softmaxes import MOST_STEPS
from attncheck.values.tensor import Tensor
from attncheck.values.value import as_size

_PAIR = 2
_PRODUCTS = frozenset({"matmul", "bmm"})
_MOVES = (Permutation, NewAxis, Selection, Squeeze)
_PARAMETER = "torch.nn.Parameter"


@record
class Crossed:
    """A product of scores, and a bias of its left side that is added along its right one.

    ``left`` and ``right`` are the states that are multiplied, as they are written there.
    """

    product: Operation
    bias: Operand
    tensor: Tensor
    left: cst.CSTNode
    right: cst.CSTNode


def crossed_biases(rule: Rule, view: View) -> Iterator[Report]:
    """A report for each bias of one sequence that is added along the other one."""
    for operation in view.graph.operations:
        found = None if operation.elsewhere else view.remembered(crossed_bias, operation)
        if found is None or found.bias.node is None or found.product.elsewhere:
            continue
        bias, left = view.quote(found.bias.node), view.quote(found.left)
        yield Report(
            rule,
            found.product,
            found.product.node,
            f"`{view.quote(found.product.node)}` has a row for each position of `{left}` and a"
            f" column for each of `{view.quote(found.right)}`, but `{bias}`, which is made of"
            f" `{left}`, is added along the columns ({view.place(operation.node)}): the two are as"
            " many, so nothing raises, and each score gets the bias of another pair",
            Culprit(found.bias.node, found.tensor),
            None,
            f"scores with a column for each position of `{left}`, or the bias along the rows",
            named=True,
        )


def crossed_bias(operation: Operation, view: View) -> Crossed | None:
    """The bias that an operation adds to scores along the sequence that it is not made of."""
    sides = list(operation.tensors())
    if _symbol(operation) != "+" or len(sides) != _PAIR:
        return None
    for (_, scores), (bias, tensor) in (sides, sides[::-1]):
        product, shape = _product(scores, view), view.shape(tensor)
        if product is None or shape is None or len(shape.tail) < _PAIR:
            continue
        rows, columns = shape.tail[-_PAIR:]
        own = _made_of(bias, tensor, view, scored=True)
        if not rows.is_one or columns.is_one or columns.size is None or own is None:
            continue
        left, right = (_made_of(*each, view) for each in product.tensors())
        if left is None or right is None or left[0].node is None or right[0].node is None:
            continue
        if are_one(own[1], left[1]) and not are_one(own[1], right[1]):
            return Crossed(product, bias, tensor, left[0].node, right[0].node)
    return None


def _symbol(made: Operation) -> str | None:
    return made.event.symbol if isinstance(made.event, Elementwise) else None


def _product(tensor: Tensor, view: View) -> Operation | None:
    """The product of rows with columns that scores are, at most scaled since."""
    for _ in range(MOST_STEPS):
        made = view.graph.maker(tensor)
        if made is None or made.source is None:
            return None
        if isinstance(made.event, Contraction):
            known = made.kind in _PRODUCTS and len(list(made.tensors())) == _PAIR
            return made if known else None
        if not isinstance(made.event, Elementwise) or len(list(made.tensors())) != 1:
            return None
        tensor = made.source
    return None


def _made_of(
    operand: Operand, tensor: Tensor, view: View, *, scored: bool = False
) -> tuple[Operand, Tensor] | None:
    """The states that a tensor is, moved or times a learned matrix.

    If it is to be `scored`, times a learned vector, or through a layer that gives one number for
    each; None if it is not.
    """
    multiplied = False
    for _ in range(MOST_STEPS):
        made = view.graph.maker(tensor)
        if made is None or made.source is None:
            break
        moves = isinstance(made.event, _MOVES) or made.kind in COPYING
        weighs = made.kind in _PRODUCTS and _is_by_weight(made, view)
        scores = made.kind == "linear_layer" and scored and not multiplied and _gives_one(made)
        if not (moves or weighs or scores):
            break
        multiplied = multiplied or not moves
        operand, tensor = next(made.tensors())
    return (operand, tensor) if multiplied or not scored else None


def _is_by_weight(made: Operation, view: View) -> bool:
    """Whether an operation multiplies with a learned weight on its right."""
    tensors = [tensor for _, tensor in made.tensors()]
    making = None if view.making is None else view.making.graph.maker(tensors[-1])
    return making is not None and making.spelling == _PARAMETER and len(tensors) == _PAIR


def _gives_one(layer: Operation) -> bool:
    sizes = (as_size(each.value) for each in layer.operands if each.name == "out_features")
    return any(size is not None and size.number == 1 for size in sizes)
