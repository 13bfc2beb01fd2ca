"""A layer made for all features of another one, of which it is given a part.

A gated layer (GLU, Dauphin et al. 2017; GEGLU, Shazeer 2020) cuts what its first projection gives
in two, one half for the gate, and its last one takes the product: ``Linear(d, 2 * h)``,
``chunk(2)``, ``Linear(h, d)``. Where both are made for h, the first is to give twice as many.
"""

from __future__ import annotations

from attncheck.algebra.facts import Verdict
from attncheck.algebra.size import Size
from attncheck.checks.constructed import Declared, name_of
from attncheck.checks.inputs import maker_layer
from attncheck.checks.view import View
from attncheck.graph import Operation
from attncheck.operators.events import Elementwise
from attncheck.values.tensor import Tensor
from attncheck.values.value import as_integer

_MOST_STEPS = 6


def cut_before(
    view: View, tensor: Tensor, given: Size, wanted: Size
) -> tuple[Declared, Size, str] | None:
    """The layer whose features were cut into parts, the size that it should give, and why."""
    cut = _cut(view, tensor)
    if cut is None or cut.source is None:
        return None
    made = maker_layer(view, cut.source)
    numbers = (as_integer(operand.value) for operand in cut.operands if operand.name == "count")
    count = next(numbers, None)
    if made is None or not made.is_making or count is None:
        return None
    whole = view.facts.compare(made.size, wanted) is Verdict.EQUAL
    if not whole or view.facts.compare(given * count, wanted) is Verdict.DIFFERENT:
        return None
    why = f"`{view.quote(cut.node)}` cuts what `{name_of(view, made)}` gives into {count}"
    return made, wanted * count, why


def _cut(view: View, tensor: Tensor) -> Operation | None:
    """The operation that a tensor is a part of, as it is or after functions of each number."""
    for _ in range(_MOST_STEPS):
        made = view.graph.maker(tensor)
        if made is None or made.kind == "chunk":
            return made
        if not isinstance(made.event, Elementwise) or made.source is None:
            return None
        tensor = made.source
    return None
