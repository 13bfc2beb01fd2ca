"""What comes out of a recurrent layer at its end: the last output of both directions, the states.

At the last position the backward direction has read one element, and it ends at the first one: its
last state is there (Schuster and Paliwal 1997, "Bidirectional recurrent neural networks", section
II). An LSTM gives the hidden state first and the cell state behind it, and takes them so.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import libcst as cst

from attncheck.algebra.size import ONE
from attncheck.attention import behind
from attncheck.checks.picked import LAST, is_whole, keys_of
from attncheck.checks.report import Culprit, Report
from attncheck.checks.runs import Run, features, is_output, runs
from attncheck.checks.view import View
from attncheck.evidence.identifiers import names_in, names_lengths
from attncheck.graph import Operation
from attncheck.operators.events import Elementwise, Recurrence
from attncheck.rule import Rule
from attncheck.values.tensor import Tensor
from attncheck.values.value import (
    Sequence,
    Slice,
    Value,
    as_integer,
    as_size,
    as_tensor,
)


def recurrent_ends(rule: Rule, view: View) -> Iterator[Report]:
    """The reports of ends that are not what they are taken for."""
    for run in runs(view):
        for operation in view.graph.after(run.operation) if run.both else ():
            if operation.elsewhere:
                continue
            if _takes_last(run, operation, view) or _gathers_last(run, operation, view):
                yield _of_one_word(rule, run, operation, view)
    for operation in view.graph.operations:
        event = operation.event
        if not operation.elsewhere and isinstance(event, Recurrence) and event.kind == "lstm":
            yield from _exchanged(rule, operation, view)


# -- both directions -------------------------------------------------------------------------------


def _takes_last(run: Run, operation: Operation, view: View) -> bool:
    """Whether an operation takes the last position of the output, with all of its features."""
    keys = keys_of(operation) if operation.kind == "index" else None
    event, source = run.operation.event, operation.source
    if not keys or source is None or not isinstance(event, Recurrence) or event.time is None:
        return False
    sizes = view.sizes(source)
    if source is not run.output and not is_output(view, run, source):
        return False
    shape, given = view.shape(source), view.shape(run.output)
    if sizes is None or shape is None or given is None or not view.equal(sizes[-1], features(run)):
        return False
    time = given.axes[event.time % len(given.axes)]
    places = [place for place, axis in enumerate(shape.axes) if axis.tag == time.tag is not None]
    if len(places) != 1 or places[0] >= len(keys):
        return False
    size = None if type(keys[places[0]]) is Slice else as_size(keys[places[0]])
    others = [key for place, key in enumerate(keys) if place != places[0]]
    return size is not None and size.number == LAST and all(map(is_whole, others))


def _gathers_last(run: Run, operation: Operation, view: View) -> bool:
    """Whether an operation gathers the last position of each sequence, with all of its features.

    ``out.gather(1, index)`` with ``index`` made of ``lengths - 1``, also of what was packed.
    """
    tensors = {operand.name: tensor for operand, tensor in operation.tensors()}
    source, index = operation.source, tensors.get("index")
    if operation.kind != "gather" or source is None or index is None:
        return False
    made = view.graph.maker(source)
    unpacked = made is not None and made.kind == "pad_packed"
    if not unpacked and source is not run.output and not is_output(view, run, source):
        return False
    sizes, taken = view.sizes(source), view.sizes(index)
    if sizes is None or taken is None or not view.equal(sizes[-1], features(run)):
        return False
    axis = gathered_axis(operation)
    if axis is None or not 0 <= axis < len(taken) - 1 or taken[axis] != ONE:
        return False
    return any(_is_last_of_each(each) for each in behind(view.graph, index))


def gathered_axis(operation: Operation) -> int | None:
    """The axis along which an operation gathers, if it is written as a number."""
    given = (each.value for each in operation.operands if each.name == "axis")
    return next(map(as_integer, given), None)


def gathered_run(operation: Operation, view: View) -> Run | None:
    """The layer in both directions whose last positions an operation gathers, or None."""
    both = (run for run in runs(view) if run.both)
    return next((run for run in both if _gathers_last(run, operation, view)), None)


def _is_last_of_each(made: Operation) -> bool:
    """Whether an operation takes 1 from the lengths of sequences."""
    if not isinstance(made.event, Elementwise) or made.event.symbol != "-":
        return False
    numbers = [as_integer(operand.value) for operand in made.operands]
    names = (name for operand in made.operands[:1] for name in names_in(operand.node))
    return 1 in numbers and any(map(names_lengths, names))


def _of_one_word(rule: Rule, run: Run, operation: Operation, view: View) -> Report:
    output = as_tensor(operation.output)
    assert output is not None
    layer = view.quote(run.operation.node)
    message = (
        f"`{view.quote(operation.node)}` is the end of the forward direction of `{layer}` and the"
        " beginning of the backward one, which has read one position there; the shape is that of"
        " the last states, so nothing raises"
    )
    return Report(
        rule,
        operation,
        operation.node,
        message,
        Culprit(operation.node, output),
        view.sizes(output),
        "the last states of both directions: what the layer gives beside its output, or the"
        " forward half of the last position and the backward half of the first",
        named=True,
    )


# -- hidden and cell state -------------------------------------------------------------------------


def _exchanged(rule: Rule, operation: Operation, view: View) -> Iterator[Report]:
    """``c, h = cell(x, (h, c))``."""
    call = operation.node
    around = view.source.around(call)
    assignment = next((node for node in around if isinstance(node, cst.Assign)), None)
    if assignment is None or assignment.value is not call or not isinstance(call, cst.Call):
        return
    given = next((each.value for each in call.args if isinstance(each.value, cst.Tuple)), None)
    taken = _states(assignment.targets[0].target)
    if taken is None:
        return
    if given is None or len(given.elements) != 2:
        yield from _called_otherwise(rule, operation, taken, view)
        return
    names = [[view.code(each.value) for each in pair.elements] for pair in (given, taken)]
    hidden = _tensors(operation)[:1]
    if names[0] != names[1][::-1] or names[0][0] == names[0][1] or not hidden:
        return
    yield Report(
        rule,
        operation,
        taken,
        f"`{view.quote(call)}` gives the hidden state first and the cell state behind it, and takes"
        f" them so; here what it gives first is called `{names[1][0]}` and goes in as the second:"
        " the two change places at every step, and nothing raises",
        Culprit(taken.elements[1].value, hidden[0]),
        view.sizes(hidden[0]),
        f"`{', '.join(names[0])}`, as they went in",
        local=True,
    )


#: Names of the memory cell, and of the state that an LSTM puts out, alone or within a longer name.
_CELL = re.compile(r"(?:^|_)(?:c|cell|memory_cell|c_?[nt0]|cx)(?:_|\d|$)", re.IGNORECASE)
_HIDDEN = re.compile(r"(?:^|_)(?:h|hid|hidden|h_?[nt0]|hx)(?:_|\d|$)", re.IGNORECASE)


def _called_otherwise(
    rule: Rule, operation: Operation, taken: cst.Tuple, view: View
) -> Iterator[Report]:
    """``out, (cell, hidden) = lstm(x)``."""
    names = [view.code(each.value) for each in taken.elements]
    told = [(bool(_CELL.search(name)), bool(_HIDDEN.search(name))) for name in names]
    hidden = _tensors(operation)[:1]
    if told != [(True, False), (False, True)] or not hidden:
        return
    yield Report(
        rule,
        operation,
        taken,
        f"`{view.quote(operation.node)}` gives the hidden state first and the cell state behind it;"
        f" `{names[1]}` is the cell state here, which has not passed the output gate, and"
        f" `{names[0]}` what the outputs are made of: both are of one shape, so nothing raises",
        Culprit(taken.elements[1].value, hidden[0]),
        view.sizes(hidden[0]),
        f"`{names[1]}, {names[0]}`, in the order in which the layer gives them",
        named=True,
    )


def _tensors(operation: Operation) -> list[Tensor]:
    """The states that a layer gives: the last pair in what it returns."""
    value: Value | None = operation.output
    while type(value) is Sequence and value.items and type(value.items[-1]) is Sequence:
        value = value.items[-1]
    items = value.items if type(value) is Sequence else None
    return [tensor for item in items or () if (tensor := as_tensor(item)) is not None]


def _states(target: cst.BaseExpression) -> cst.Tuple | None:
    """The pair of states in ``h, c = cell(...)``, or in ``out, (h, c) = lstm(...)``."""
    if not isinstance(target, cst.Tuple) or len(target.elements) != 2:
        return None
    last = target.elements[1].value
    pair = last if isinstance(last, cst.Tuple) else target
    return pair if len(pair.elements) == 2 else None
