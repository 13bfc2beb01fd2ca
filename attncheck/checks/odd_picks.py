"""Single places taken from another axis than the code around shows: the axis of the batch.

Three things tell. The other branch of a choice takes the mean over another axis of the same tensor;
the statement before takes the neighbouring place of another axis; or what is taken of one sequence
of a batch goes on into a layer as if it were taken of each.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator

from attncheck.checks.report import Culprit, Report
from attncheck.checks.view import View
from attncheck.graph import Operation
from attncheck.operators.events import Reduction
from attncheck.record import record
from attncheck.rule import Rule
from attncheck.table import table_symbol
from attncheck.values.tensor import Tensor
from attncheck.values.value import ELLIPSIS, Sequence, Slice, as_size, as_tensor

_BATCH = "batch_size"
#: Layers that work on the features of each position.
_LAYERS = frozenset({"linear_layer", "layer_norm"})


@record
class _Pick:
    """One place that an index takes of an axis, beside whole axes: ``x[:, 0]``."""

    operation: Operation
    axis: int
    number: int
    #: how many items the index expression has
    items: int


def odd_picks(rule: Rule, view: View) -> Iterator[Report]:
    """A report for each place that is taken from another axis than the code around shows."""
    found = [pick for made in view.graph.operations if (pick := _pick(made)) is not None]
    told = set[int]()
    for report in itertools.chain(
        _other_branches(rule, found, view),
        _neighbours(rule, found, view),
        *(_of_the_batch(rule, pick, view) for pick in found),
    ):
        if report.operation.number not in told:
            told.add(report.operation.number)
            yield report


def _pick(made: Operation) -> _Pick | None:
    """The one place that an index takes, if all else of it is whole axes."""
    if made.kind != "index" or made.elsewhere:
        return None
    key = next((each.value for each in made.operands if each.name == "key"), None)
    items = key.items if type(key) is Sequence else None
    if not items:
        return None
    if items[-1] == ELLIPSIS:
        items = items[:-1]
    numbers = [as_size(item) if type(item) is not Slice else None for item in items]
    places = [place for place, size in enumerate(numbers) if size is not None]
    if len(places) != 1:
        return None
    whole = all(_is_whole(item) for place, item in enumerate(items) if place != places[0])
    size = numbers[places[0]]
    if not whole or size is None or size.number is None:
        return None
    return _Pick(made, places[0], size.number, len(items))


def _is_whole(item: object) -> bool:
    return type(item) is Slice and all(
        bound is None or getattr(bound, "value", 0) is None
        for bound in (item.lower, item.upper, item.step)
    )


def _same(left: Tensor | None, right: Tensor | None) -> bool:
    """Whether two operands certainly are one tensor."""
    if left is None or right is None:
        return False
    return left is right or (left.operation is not None and left.operation == right.operation)


# -- the other branch ------------------------------------------------------------------------------


def _other_branches(rule: Rule, found: list[_Pick], view: View) -> Iterator[Report]:
    """``x.mean(1) if pool == "mean" else x[0, :]``: the axes that are left differ."""
    picks = {pick.operation.number: pick for pick in found}
    for made in view.graph.operations:
        for _, tensor in made.tensors():
            for number in tensor.either:
                pick = picks.get(number or 0)
                others = [] if pick is None else view.graph.known_makers(tensor)
                for other in others:
                    if pick is not None and _takes_out_another(pick, other, view):
                        yield _beside_mean(rule, pick, other, view)


def _takes_out_another(pick: _Pick, other: Operation, view: View) -> bool:
    """Whether an operation takes another axis out of the tensor than an index does."""
    event, shape = other.event, view.shape(other.source)
    if not isinstance(event, Reduction) or event.keepdims or event.kind != "mean":
        return False
    if len(event.axes or ()) != 1 or not _same(other.source, pick.operation.source):
        return False
    (axis,) = event.axes or (0,)
    return shape is not None and shape.closed and axis % len(shape.axes) != pick.axis


def _beside_mean(rule: Rule, pick: _Pick, other: Operation, view: View) -> Report:
    (axis,) = getattr(other.event, "axes", None) or (0,)
    return _report(
        rule,
        pick,
        axis,
        f"and the other branch takes the mean over axis {axis} (`{view.quote(other.node)}`): what"
        " they leave differs in its axes",
        view,
    )


# -- the statement before --------------------------------------------------------------------------


def _neighbours(rule: Rule, found: list[_Pick], view: View) -> Iterator[Report]:
    """``key = cache[:, 0]`` and ``value = cache[1, :]``."""
    for first, second in itertools.pairwise(found):
        gap = view.line(second.operation.node) - view.line(first.operation.node)
        if second.number != first.number + 1 or second.axis == first.axis or gap not in (0, 1):
            continue
        if first.number == 0 and _same(first.operation.source, second.operation.source):
            text = f"and `{view.quote(first.operation.node)}` the first of axis {first.axis}"
            yield _report(rule, second, first.axis, text, view)


# -- the batch -------------------------------------------------------------------------------------


def _of_the_batch(rule: Rule, pick: _Pick, view: View) -> Iterator[Report]:
    """``self.dense(states[0, :])``, where the first of the positions of each was meant."""
    shape = view.shape(pick.operation.source)
    if pick.axis != 0 or pick.items < 2 or shape is None or not shape.closed:
        return
    symbol = None if shape.axes[0].size is None else shape.axes[0].size.symbol
    if len(shape.axes) != 3 or symbol is None or table_symbol(symbol.name) != _BATCH:
        return
    users = view.graph.users(pick.operation)
    if any(made.kind in _LAYERS and made.place == pick.operation.place for made in users):
        text = f"and axis 0 is the batch ({symbol.name}): all positions of one sequence go on"
        yield _report(rule, pick, 1, text, view)


def _report(rule: Rule, pick: _Pick, wanted: int, why: str, view: View) -> Report:
    operation = pick.operation
    output = as_tensor(operation.output) or operation.source
    assert output is not None
    shape = view.shape(operation.source)
    sizes = None if shape is None or not shape.closed else shape.sizes()
    expected = None if sizes is None else (*sizes[:wanted], *sizes[wanted + 1 :])
    return Report(
        rule,
        operation,
        operation.node,
        f"`{view.quote(operation.node)}` takes place {pick.number} of axis {pick.axis}, {why};"
        " nothing raises where the features alone have to fit",
        Culprit(operation.node, output),
        expected,
        f"place {pick.number} of axis {wanted}",
        moved=(pick.axis, wanted) if max(pick.axis, wanted) < pick.items else None,
        named=True,
        local=True,
    )
