"""Where queries, keys and values come from: the inputs behind them, and the projections in between.

Attention has three inputs, of which the values belong to the keys: one for each (Vaswani et
al. 2017, section 3.2). In a decoder's attention over the encoder, queries come from the decoder.
"""

from __future__ import annotations

from collections.abc import Iterator

from attncheck.algebra.contract import Contracted
from attncheck.algebra.shape import Axis
from attncheck.attention import LEARNED
from attncheck.checks.view import View
from attncheck.graph import Operation
from attncheck.operators.events import Attention, Contraction, Einsum
from attncheck.record import record
from attncheck.values.tensor import Tensor

_MOST_STEPS = 300
#: What the operands of a library's attention are called.
PARTS = ("query", "key", "value")


@record
class Trio:
    """The query, keys and values of one attention.

    ``operation`` is where they met (the scores, if written out), ``sum`` where the values came in.
    ``matched`` says whether keys and values are known to be equally many, ``told`` whether the axes
    tell the query from the key: else the left operand is taken for the query.
    """

    operation: Operation
    sum: Operation
    query: Tensor
    key: Tensor
    value: Tensor
    matched: bool
    told: bool = True

    @property
    def parts(self) -> tuple[Tensor, Tensor, Tensor]:
        """Query, key, value."""
        return self.query, self.key, self.value


def trios(view: View) -> Iterator[Trio]:
    """Query, key and value of each attention of a trace."""
    for operation in view.graph.operations:
        event = operation.event
        if isinstance(event, Attention):
            given = {operand.name: tensor for operand, tensor in operation.tensors()}
            if all(name in given for name in PARTS):
                query, key, value = (given[name] for name in PARTS)
                yield Trio(operation, operation, query, key, value, _are_one(event.positions))
    for site in view.sites:
        product = site.scores
        if product is None or len(site.sums) != 1:
            continue
        total = site.sums[0]
        sides = [tensor for _, tensor in product.tensors()]
        summed = [tensor for _, tensor in total.operation.tensors()]
        if len(sides) != 2 or len(summed) != 2:
            continue
        side = _key_side(sides, total.contracted)
        right = 1 if side is None else side
        matched = _is_matched(total.operation)
        yield Trio(
            product,
            total.operation,
            sides[1 - right],
            sides[right],
            summed[1 - total.weights],
            matched,
            side is not None,
        )


def _key_side(sides: list[Tensor], contracted: tuple[Axis, ...]) -> int | None:
    """Which operand of a product has the axis that the weights are summed over; None if unknown."""
    tag = contracted[0].tag if len(contracted) == 1 else None
    if tag is None:
        return None
    having = [
        place
        for place, tensor in enumerate(sides)
        for axis in (() if tensor.shape is None else (*tensor.shape.lead, *tensor.shape.trail))
        if axis.tag is not None and (axis.tag.root, axis.tag.index) == (tag.root, tag.index)
    ]
    if len(having) == 2:
        # One axis on both sides: where they met, the right one was told apart.
        return int(tag.side > 0)
    return having[0] if having else None


def _is_matched(operation: Operation) -> bool:
    event = operation.event
    return not isinstance(event, Contraction) or all(map(_are_one, event.pairs))


def _are_one(pair: Contracted) -> bool:
    """Whether two axes were of one size before an operation needed them to be."""
    return pair.left.size is None or pair.left.size == pair.right.size


def inputs_behind(view: View, tensor: Tensor) -> frozenset[str]:
    """The names of the traced function's arguments that a tensor is made of.

    Empty where something that is not known is behind it.
    """
    names = {site.name for site in view.traced.sites if site.node in view.parameters}
    found, waiting, seen = set[str](), [tensor], set[int]()
    while waiting and len(seen) < _MOST_STEPS:
        current = waiting.pop()
        if current.role in LEARNED:
            continue
        for made in view.graph.makers(current):
            if made is None:
                root = root_of(current)
                if root not in names:
                    return frozenset()
                found.add(root)
            elif made.number not in seen:
                seen.add(made.number)
                waiting += [each for _, each in made.tensors()]
    return frozenset(found)


def root_of(tensor: Tensor) -> str:
    """The name of the argument that a tensor was when it was given (empty: not known)."""
    shape = tensor.shape
    if shape is None:
        return ""
    if shape.row is not None:
        return shape.row.name
    return shape.lead[0].tag.root if shape.lead and shape.lead[0].tag is not None else ""


def projection_behind(view: View, tensor: Tensor) -> Operation | None:
    """The nearest layer with a weight that a tensor comes from; None if two ways lead back."""
    for _ in range(_MOST_STEPS):
        made = view.graph.maker(tensor)
        if made is None or made.kind == "linear_layer":
            return made
        tensors = [each for _, each in made.tensors()]
        if len(tensors) != 1 or isinstance(made.event, Contraction | Einsum):
            return None
        tensor = tensors[0]
    return None
