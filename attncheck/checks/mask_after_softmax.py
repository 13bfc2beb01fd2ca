"""Weights masked after softmax: what is left of a row sums to less than one.

They are multiplied by the mask, or 0 is put in the place of some of them.
"""

from __future__ import annotations

from collections.abc import Iterator

from attncheck.algebra.broadcast import How
from attncheck.attention import Site, behind, same_axis
from attncheck.checks.entries import entry_of
from attncheck.checks.masks import draws, is_mask, may_be_masked, written_into
from attncheck.checks.overwritten_weights import overwritten_weights
from attncheck.checks.padded_means import padded_means
from attncheck.checks.reach import varies_over_keys
from attncheck.checks.report import Culprit, Report
from attncheck.checks.view import View
from attncheck.evidence.identifiers import names_in
from attncheck.graph import Operand, Operation
from attncheck.operators.events import (
    MOVES,
    Contraction,
    Einsum,
    Elementwise,
    Event,
    Reduction,
    Softmax,
)
from attncheck.record import record
from attncheck.rule import Rule
from attncheck.table import Role, role_of
from attncheck.values.tensor import Tensor
from attncheck.values.value import as_tensor

RULE = Rule("ATN503", "mask-after-softmax", "masked weights no longer sum to one", fix="unsafe")
_BATCH_AND_KEYS = 2
_SUMS: tuple[type[Event], ...] = (Contraction, Einsum)


def check_trace(view: View) -> Iterator[Report]:
    """Report, for each attention site, the first mask on its weights that nothing makes up for."""
    yield from overwritten_weights(RULE, view)
    yield from padded_means(RULE, view)
    for site in view.sites:
        if site.axis is None or not site.sums:
            continue
        masked = _masked(site, view)
        if masked is None:
            continue
        if may_be_masked(view.graph, site.scores_in) or written_into(site, view):
            continue
        if _is_summed_as_it_is(site, masked.operation, view):
            report = _report(masked, view)
            places = (made.place for made in (site.softmax, site.scores) if made is not None)
            report.local = all(place == masked.operation.place for place in places)
            yield report


@record
class _Masked:
    """Weights that are masked: where, the mask, and whether it is one only by its name."""

    operation: Operation
    mask: Operand
    named: bool = False


def _masked(site: Site, view: View) -> _Masked | None:
    """The first mask over the keys that a site's weights are multiplied by or filled under."""
    weights = {site.softmax.number}
    for operation in view.graph.after(site.softmax):
        if operation.read.isdisjoint(weights):
            continue
        tensors = [tensor for _, tensor in operation.tensors()]
        used = [index for index, tensor in enumerate(tensors) if tensor.made_by & weights]
        if len(used) != 1:
            continue
        event = operation.event
        if isinstance(event, Elementwise) and event.symbol == "*" and len(tensors) == 2:
            mask = 1 - used[0]
            if _hides_keys(site, event, mask, view) and _is_outside(site, tensors[mask], view):
                return _Masked(operation, list(operation.tensors())[mask][0])
            if _is_called_mask(site, operation, mask, view):
                return _Masked(operation, list(operation.tensors())[mask][0], named=True)
        filled = _filled(site, operation, weights, view)
        if filled is not None:
            return filled
        if isinstance(event, MOVES) or _is_dropout(operation):
            weights.add(operation.number)
    return None


def _filled(site: Site, operation: Operation, weights: set[int], view: View) -> _Masked | None:
    """The weights of some keys replaced by 0: ``weights.masked_fill(mask, 0)``, and by where."""
    entry = entry_of(operation, view)
    if entry is None or entry.how not in ("fill", "choice") or entry.number != 0:
        return None
    filled, mask = as_tensor(entry.scores.value), entry.mask_tensor
    if filled is None or not filled.made_by & weights or draws(view.graph, mask):
        return None
    over_keys = varies_over_keys(entry, site, view)
    named = any(role_of(name) is Role.MASK for name in names_in(entry.mask.node))
    if over_keys is False or not (over_keys or named) or _is_found(site, mask, view):
        return None
    return _Masked(operation, entry.mask, not (over_keys and is_mask(view.graph, mask)))


def _is_dropout(operation: Operation) -> bool:
    return isinstance(operation.event, Elementwise) and operation.event.symbol == "dropout"


def _hides_keys(site: Site, event: Elementwise, mask: int, view: View) -> bool:
    """Whether a factor differs along the axis that softmax normalises.

    One that is the same for all keys of a row only takes out whole rows, as for padded queries.
    """
    shape = view.shape(as_tensor(site.softmax.output))
    if shape is None or not shape.closed or site.axis is None or event.broadcast is None:
        return False
    if not -len(shape.axes) <= site.axis < len(shape.axes):
        return False
    keys = shape.axes[site.axis]
    for pairing in event.broadcast.pairings:
        own = pairing.right if mask == 0 else pairing.left
        if own is None or pairing.how is not How.MATCHED or own.is_one:
            continue
        if same_axis(own, keys):
            return True
    return False


def _is_called_mask(site: Site, operation: Operation, mask: int, view: View) -> bool:
    """Whether a factor of unseen shape is a mask by its name, on the weights of one query each.

    Those have no axis of queries that it could leave out instead.
    """
    weights = view.shape(as_tensor(site.softmax.output))
    operand, tensor = list(operation.tensors())[mask]
    if weights is None or weights.rank != _BATCH_AND_KEYS or site.axis not in (-1, 1):
        return False
    if tensor.operation is not None or (tensor.shape is not None and tensor.shape.closed):
        return False
    return role_of(view.base_name(operand.node) or "") is Role.MASK


def _is_outside(site: Site, mask: Tensor, view: View) -> bool:
    """Whether a factor is a mask that was not found by looking at the scores or the weights."""
    return is_mask(view.graph, mask) and not _is_found(site, mask, view)


def _is_found(site: Site, mask: Tensor, view: View) -> bool:
    """Whether a mask was found by looking at the scores or the weights."""
    own = {site.softmax.number, *site.scores_in.made_by}
    if site.scores is not None:
        own.add(site.scores.number)
    return any(operation.number in own for operation in behind(view.graph, mask))


def _is_summed_as_it_is(site: Site, product: Operation, view: View) -> bool:
    """Whether masked weights reach the weighted sum, and nothing divides by what is left."""
    weights, totals = {product.number}, set[int]()
    summed = False
    sums = {sum_.operation.number for sum_ in site.sums}
    for operation in view.graph.after(product):
        sources = operation.read
        event = operation.event
        if sources & weights:
            if isinstance(event, Softmax) or _divides(operation):
                return False
            if operation.number in sums:
                summed = True
            if isinstance(event, Reduction):
                totals.add(operation.number)
            elif not isinstance(event, _SUMS) or operation.number in sums:
                weights.add(operation.number)
        elif sources & totals:
            if _divides(operation):
                return False
            totals.add(operation.number)
    return summed


def _divides(operation: Operation) -> bool:
    """Whether an operation normalises: divides by another tensor, or turns a total over."""
    event = operation.event
    if not isinstance(event, Elementwise):
        return False
    if event.symbol in ("normalize", "reciprocal", "**", "rsqrt", "log"):
        return True
    return event.symbol == "/" and len(list(operation.tensors())) == 2


def _report(masked: _Masked, view: View) -> Report:
    operation = masked.operation
    output = as_tensor(operation.output)
    assert output is not None
    message = (
        f"`{view.quote(operation.node)}` masks the weights after softmax: what"
        f" `{view.quote(masked.mask.node)}` leaves of a row sums to less than one"
    )
    return Report(
        RULE,
        operation,
        operation.node,
        message,
        Culprit(operation.node, output),
        view.sizes(output),
        "the same shape, with rows that sum to one: the mask belongs on the scores, as a large"
        " negative number before softmax, or the weights are to be divided by their new sum",
        named=masked.named,
    )
