"""Scores that a mask leaves at 0 before the largest one is taken: 0 is larger than all below it.

The maximum over the words of a question is how close a position is to any of them (Seo et al. 2016,
"Bidirectional Attention Flow", section 2, query-to-context attention; Khattab and Zaharia 2020,
"ColBERT", equation 3). A padded word of score 0 is closer than every word of a negative score. What
is never negative, as activations are behind a ReLU, is left alone.
"""

from __future__ import annotations

from collections.abc import Iterator

from attncheck.attention import contracted_axes, role_behind
from attncheck.checks.entries import Entry, entry_of
from attncheck.checks.report import Culprit, Report
from attncheck.checks.terms import axis_from_end
from attncheck.checks.view import View
from attncheck.graph import Operation
from attncheck.meaning.positions import MOVING
from attncheck.operators.events import (
    COPYING,
    MOVES,
    Contraction,
    Einsum,
    Elementwise,
    Permutation,
    Reduction,
    Softmax,
)
from attncheck.rule import Rule
from attncheck.softmaxes import MOST_STEPS
from attncheck.table import Role
from attncheck.values.tensor import Tensor
from attncheck.values.value import as_tensor

_LARGEST = frozenset({"max", "argmax", "logsumexp"})
#: Steps on scores after which they may still be negative.
_SCALING = frozenset({"+", "-", "*", "/", "dropout", "normalize", "tanh"})
_PRODUCTS = (Contraction, Einsum)


def zeros_win(rule: Rule, view: View) -> Iterator[Report]:
    """The reports of scores that are filled with 0 where the largest one is taken."""
    for operation in view.graph.operations:
        entry = None if operation.elsewhere else _filled(operation, view)
        output = None if entry is None else as_tensor(entry.operation.output)
        if entry is None or output is None or entry.operation.elsewhere:
            continue
        told = _is_along(entry, operation, view)
        if told is False or _is_shift(operation, view) or not _are_scores(entry, view):
            continue
        fill = entry.operation
        yield Report(
            rule,
            fill,
            fill.node,
            f"`{view.quote(fill.node)}` puts 0 where `{view.quote(entry.mask.node)}` hides scores,"
            f" and `{view.quote(operation.node)}` takes the largest: a hidden 0 wins over every"
            " score that is negative",
            Culprit(fill.node, output),
            view.sizes(output),
            "the same shape, with hidden scores far below all others (-inf, or -1e9), so that none"
            " of them is the largest",
            named=told is None,
            local=fill.place == operation.place,
        )


def _filled(operation: Operation, view: View) -> Entry | None:
    """The mask that fills what an operation takes the largest of with 0, or None."""
    event, source = operation.event, operation.source
    if not isinstance(event, Reduction) or event.kind not in _LARGEST or source is None:
        return None
    made = view.graph.maker(source)
    entry = None if made is None else entry_of(made, view)
    if entry is None or entry.how not in ("fill", "choice") or entry.number != 0:
        return None
    return entry


def _is_along(entry: Entry, operation: Operation, view: View) -> bool | None:
    """Whether a mask differs along the axis of which the largest is taken; None if unknown."""
    event, mask = operation.event, view.shape(entry.mask_tensor)
    assert isinstance(event, Reduction)
    if event.axes is None or len(event.axes) != 1:
        return event.axes is None
    (axis,) = event.axes
    source = view.shape(operation.source)
    if axis >= 0 and (source is None or not source.closed):
        return None
    place = -1 - axis if axis < 0 or source is None else len(source.axes) - 1 - axis
    if mask is None:
        return None
    own = axis_from_end(mask, place)
    if own is None:
        return False if mask.closed else None
    return None if own.size is None else not own.is_one


def _is_shift(operation: Operation, view: View) -> bool:
    """Whether the largest score is taken off all of them, as softmax does: any number will do."""
    taken = {operation.number}
    for user in view.graph.users(operation):
        if isinstance(user.event, MOVES):
            taken.add(user.number)
    return any(
        isinstance(user.event, Elementwise) and user.event.symbol == "-"
        for user in view.graph.after(operation)
        if not user.read.isdisjoint(taken)
    )


def _are_scores(entry: Entry, view: View) -> bool:
    """Whether what is filled is a product of queries and keys, which may be negative."""
    tensor = as_tensor(entry.scores.value)
    waiting, scored = [] if tensor is None else [tensor], False
    for _ in range(MOST_STEPS):
        if not waiting:
            break
        for made in view.graph.known_makers(waiting.pop(0)):
            if isinstance(made.event, _PRODUCTS):
                scored = scored or _is_of_features(made, view)
            elif _keeps_sign(made) or entry_of(made, view) is not None:
                waiting += [each for _, each in made.tensors()]
            elif not isinstance(made.event, Reduction) and made.source is not None:
                return False
    return scored


def _keeps_sign(made: Operation) -> bool:
    """Whether what was negative may be so still."""
    event = made.event
    if isinstance(event, MOVES) or (event is None and made.kind in COPYING | MOVING):
        return True
    return isinstance(event, Elementwise) and event.symbol in _SCALING


def _is_of_features(product: Operation, view: View) -> bool:
    """Whether a product compares two states by their features: no layer's, no sum of values."""
    tensors = [tensor for _, tensor in product.tensors()]
    if len(tensors) != 2 or product.kind == "linear_layer":
        return False
    if any(role_behind(view.graph, each) is Role.PARAMETER for each in tensors):
        return False
    if any(_is_never_negative(each, view) for each in tensors):
        return False
    if any(site.scores is product for site in view.sites):
        return True
    return isinstance(product.event, Contraction) and all(
        _is_last(product, index, view) for index in (0, 1)
    )


def _is_last(product: Operation, index: int, view: View) -> bool:
    """Whether a product sums over what was an operand's last axis, before it was transposed."""
    tensor = list(product.tensors())[index][1]
    summed, made = contracted_axes(product, index), view.graph.maker(tensor)
    turned = made is not None and isinstance(made.event, Permutation)
    shape = view.shape(made.source if made is not None and turned else tensor)
    if len(summed) != 1 or summed[0].tag is None or shape is None or not shape.tail:
        return False
    return shape.tail[-1].tag == summed[0].tag


def _is_never_negative(tensor: Tensor, view: View) -> bool:
    """Whether an activation or a softmax has made a tensor what it is, without a layer since."""
    for _ in range(MOST_STEPS):
        made = view.graph.maker(tensor)
        if made is None or isinstance(made.event, Softmax):
            return made is not None
        if not _keeps_sign(made) or made.source is None:
            return isinstance(made.event, Elementwise)
        tensor = made.source
    return False
