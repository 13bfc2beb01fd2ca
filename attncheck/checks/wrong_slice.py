"""A step, a layer or a direction of a recurrent layer taken from the wrong axis or place."""

from __future__ import annotations

from collections.abc import Iterator

from attncheck.algebra.shape import Axis
from attncheck.algebra.size import Size
from attncheck.checks.carried_states import forgotten_states
from attncheck.checks.cut_ones import cut_ones
from attncheck.checks.cut_positions import cut_positions
from attncheck.checks.dropped_results import PICKING, dropped_results
from attncheck.checks.layouts import Reading, birth_of, chosen
from attncheck.checks.lowest_queries import lowest_queries
from attncheck.checks.mixed_states import mixed_states
from attncheck.checks.odd_picks import odd_picks
from attncheck.checks.painted import painted
from attncheck.checks.parts_in_order import parts_in_order
from attncheck.checks.picked import LAST, keys_of, picks
from attncheck.checks.recurrent_ends import recurrent_ends
from attncheck.checks.report import Culprit, Report, Sizes
from attncheck.checks.restarted_stacks import restarted_stacks
from attncheck.checks.reversed_states import backward_order
from attncheck.checks.runs import Run, features, is_many, is_output, runs
from attncheck.checks.split_positions import split_positions
from attncheck.checks.split_weights import split_weights
from attncheck.checks.view import View
from attncheck.graph import Operation
from attncheck.operators.events import Elementwise, Joining, Reshaping
from attncheck.rule import Rule
from attncheck.values.value import NONE, Sequence, Slice, Value, as_integer, as_size, as_tensor

RULE = Rule(
    "ATN305",
    "wrong-slice",
    "last time step, layer, direction, head or chunk taken from the wrong axis or with the wrong"
    " size",
    fix="unsafe",
)


def check_trace(view: View) -> Iterator[Report]:
    """Report what is cut out of the results of layers at the wrong place."""
    yield from odd_picks(RULE, view)
    yield from cut_ones(RULE, view)
    yield from painted(RULE, view, masks=False)
    yield from recurrent_ends(RULE, view)
    yield from split_positions(RULE, view)
    yield from cut_positions(RULE, view)
    yield from parts_in_order(RULE, view)
    yield from forgotten_states(RULE, view)
    yield from restarted_stacks(RULE, view)
    yield from mixed_states(RULE, view)
    yield from lowest_queries(RULE, view)
    yield from split_weights(RULE, view)
    yield from backward_order(RULE, view)
    yield from dropped_results(RULE, view, PICKING)
    for reading in chosen(view):
        yield from _last_step(reading, view)
    told = set[object]()
    for run in runs(view):
        for operation in view.graph.operations:
            if operation.elsewhere or operation.statement in told:
                continue
            for look in (_half_of_states, _lowest_layer, _directions, _chunks, _split):
                for report in look(run, operation, view):
                    told.add(operation.statement)
                    yield report


# -- the last step ---------------------------------------------------------------------------------


def _last_step(reading: Reading, view: View) -> Iterator[Report]:
    """``out[-1]`` of a batch-first output, ``out[:, -1]`` of one that is time first."""
    time, batch = birth_of(reading.time), birth_of(reading.batch)
    for operation in view.graph.operations:
        if operation.elsewhere or operation.number <= reading.operation.number:
            continue
        for axis, number in picks(operation, view):
            if number != LAST or batch is None or birth_of(axis) != batch or axis.is_one:
                continue
            births = [birth_of(other) for other in _shape(operation, view)]
            if time in births:
                yield _step_report(
                    reading, operation, births.index(batch), births.index(time), view
                )


def _step_report(
    reading: Reading, operation: Operation, at: int, wanted: int, view: View
) -> Report:
    layer = view.quote(reading.operation.node)
    message = (
        f"`{view.quote(operation.node)}` takes the last place of axis {at} ({reading.batch}), which"
        f" `{layer}` has for the batch: every step of the last sequence, and not the last step of"
        " every sequence; nothing raises where the features alone have to fit"
    )
    derivation = f"the last place of axis {wanted} ({reading.time}): one vector for each sequence"
    sizes = [axis.size for axis in _shape(operation, view)]
    expected = (*sizes[:wanted], *sizes[wanted + 1 :])
    return _report(operation, view, message, expected, derivation, (at, wanted))


# -- layers and directions of the last states ------------------------------------------------------


def _half_of_states(run: Run, operation: Operation, view: View) -> Iterator[Report]:
    """``h_n[:layers]`` of a layer in both directions: not the forward states of all its layers."""
    keys = keys_of(operation) if operation.source in run.states and run.both else None
    if not keys or run.layers is None or run.layers.number == 1:
        return
    key = keys[0]
    if type(key) is not Slice or not _absent(key.step):
        return
    lower, upper = _bound(key.lower), _bound(key.upper)
    forward = _is_start(key.lower) and view.equal(upper, run.layers)
    backward = _absent(key.upper) and view.equal(lower, run.layers)
    if not forward and not backward:
        return
    half, direction = ("first", "forward") if forward else ("last", "backward")
    message = (
        f"`{view.quote(operation.node)}` takes the {half} {run.layers} of the last states of"
        f" `{view.quote(run.operation.node)}`, which runs in both directions: layer by layer, they"
        f" are forward and backward, so these are not the {direction} states of every layer; the"
        " shape is the same, so nothing raises"
    )
    sizes = view.sizes(as_tensor(operation.output))
    derivation = f"every other state, from the {direction} one of the first layer"
    report = _report(operation, view, message, sizes, derivation)
    if run.layers.number is None:
        report.hidden = f"hidden while {run.layers} == 1"
    yield report


def _lowest_layer(run: Run, operation: Operation, view: View) -> Iterator[Report]:
    """``cat((h_n[0], h_n[1]))`` of several layers: both directions of the lowest one."""
    if not isinstance(operation.event, Joining) or not run.both or not is_many(run.layers):
        return
    makers = [view.graph.maker(tensor) for _, tensor in operation.tensors()]
    numbers = [
        next((number for _, number in picks(made, view)), None)
        for made in makers
        if made is not None and made.source in run.states
    ]
    if numbers != [0, 1]:
        return
    message = (
        f"`{view.quote(operation.node)}` joins the two directions of the lowest layer of"
        f" `{view.quote(run.operation.node)}`, which has {run.layers}: what the layers above have"
        " made of the sequence is left out; the shape is the same, so nothing raises"
    )
    sizes = view.sizes(as_tensor(operation.output))
    derivation = "the states of the last layer: the last two, forward and backward"
    report = _report(operation, view, message, sizes, derivation)
    report.named = True
    yield report


# -- directions of the output ----------------------------------------------------------------------


def _directions(run: Run, operation: Operation, view: View) -> Iterator[Report]:
    """``out[:, :hidden]``: the directions lie side by side in the features, on the last axis."""
    keys = keys_of(operation) if _halves(run, operation, view) else None
    for place, key in enumerate(keys or ()):
        if type(key) is not Slice or place > 1:
            continue
        bounds = [bound for each in (key.lower, key.upper) if (bound := _bound(each)) is not None]
        if any(bound.number is None and view.equal(bound, run.hidden) for bound in bounds):
            words = f"cuts axis {place} at {run.hidden}"
            yield _direction_report(run, operation, view, words, (place, 2))


def _chunks(run: Run, operation: Operation, view: View) -> Iterator[Report]:
    """``out.chunk(2, dim=1)`` whose parts are put together again: meant are the directions."""
    if operation.kind not in ("chunk", "split") or not _halves(run, operation, view):
        return
    given = {operand.name: operand.value for operand in operation.operands}
    axis = as_integer(given.get("axis", NONE))
    pieces = operation.output.items if type(operation.output) is Sequence else None
    if axis is None or axis % 3 == 2 or pieces is None or len(pieces) != 2:
        return
    if any(_joins(other, pieces) for other in view.graph.operations):
        yield _direction_report(run, operation, view, f"cuts axis {axis} in two", None)


def _joins(operation: Operation, pieces: tuple[Value, ...]) -> bool:
    if not isinstance(operation.event, Elementwise | Joining):
        return False
    tensors = [tensor for _, tensor in operation.tensors()]
    return all(any(tensor is piece for tensor in tensors) for piece in pieces)


def _direction_report(
    run: Run, operation: Operation, view: View, words: str, moved: tuple[int, int] | None
) -> Report:
    message = (
        f"`{view.quote(operation.node)}` {words}, but the two directions of"
        f" `{view.quote(run.operation.node)}` lie side by side in the features, on the last axis:"
        " this takes positions or sequences apart instead"
    )
    sizes = view.sizes(operation.source)
    expected = None if sizes is None else (*sizes[:-1], run.hidden)
    derivation = "each direction of every step of every sequence"
    report = _report(operation, view, message, expected, derivation, moved)
    report.axis = -1
    return report


def _split(run: Run, operation: Operation, view: View) -> Iterator[Report]:
    """A view that has directions and features, or layers and directions, in the wrong order."""
    if not isinstance(operation.event, Reshaping) or not run.both:
        return
    made = operation.event.outcome.shape.sizes() if operation.event.outcome.shape.closed else ()
    if len(made) < 4:
        return
    if operation.source in run.states:
        pair, first, order = (run.layers, made[1]), 0, "layers, then directions"
        is_two = made[0] is not None and made[0].number == 2
    elif _halves(run, operation, view):
        pair, first, order = (run.hidden, made[-2]), len(made) - 2, "directions, then features"
        is_two = made[-1] is not None and made[-1].number == 2
    else:
        return
    named = pair[0] is not None and pair[0].number is None
    if is_two and named and view.equal(*pair):
        message = (
            f"`{view.quote(operation.node)}` reads what `{view.quote(run.operation.node)}` gives in"
            f" the wrong order: it has {order}; the counts agree, so nothing raises"
        )
        turned = [*made]
        turned[first], turned[first + 1] = turned[first + 1], turned[first]
        yield _report(operation, view, message, tuple(turned), order, (first, first + 1))


# -- what is cut -----------------------------------------------------------------------------------


def _halves(run: Run, operation: Operation, view: View) -> bool:
    """Whether an operation is on the output of a run in both directions, of three axes."""
    source = operation.source if run.both else None
    if source is None or not is_output(view, run, source):
        return False
    sizes = view.sizes(source)
    return sizes is not None and len(sizes) == 3 and view.equal(sizes[-1], features(run))


def _shape(operation: Operation, view: View) -> tuple[Axis, ...]:
    shape = view.shape(operation.source)
    return shape.axes if shape is not None and shape.closed else ()


def _absent(value: Value | None) -> bool:
    return value is None or value == NONE


def _is_start(value: Value | None) -> bool:
    return _absent(value) or (value is not None and as_integer(value) == 0)


def _bound(value: Value | None) -> Size | None:
    return None if value is None else as_size(value)


def _report(
    operation: Operation,
    view: View,
    message: str,
    expected: Sizes | None,
    derivation: str,
    moved: tuple[int, int] | None = None,
) -> Report:
    output = as_tensor(operation.output) or operation.source
    assert output is not None
    culprit = Culprit(operation.node, output)
    return Report(
        RULE, operation, operation.node, message, culprit, expected, derivation, moved=moved
    )
