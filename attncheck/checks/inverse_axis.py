"""Inverse Fourier transforms along another axis than the transforms that they are to undo.

Auto-correlation takes the spectra of queries and keys along time and comes back along time (Wu et
al. 2021, "Autoformer", equation 8). ``irfft`` without an axis goes along the last one, the
channels: the frequencies stay where the lags should be. Of complex transforms nothing is said:
there are schemes that go forward along one axis and back along the other.
"""

from __future__ import annotations

from collections.abc import Iterator

from attncheck.checks.report import Culprit, Report
from attncheck.checks.view import View
from attncheck.graph import Operation
from attncheck.operators.events import COPYING, Elementwise
from attncheck.record import record
from attncheck.rule import Rule
from attncheck.values.tensor import Tensor
from attncheck.values.value import as_integer, as_tensor

_REAL, _RESTORED = "transform_real", "restore_real"
_MOST_STEPS = 40


@record
class Astray:
    """An inverse transform with its axis, and the transforms behind it with theirs."""

    inverse: Operation
    axis: int
    forward: tuple[Operation, ...]
    wanted: int


def inverse_axes(rule: Rule, view: View) -> Iterator[Report]:
    """A report for each real spectrum that is transformed back along an axis it was not made of."""
    for found in view.once(inverses_astray):
        output = as_tensor(found.inverse.output)
        if output is None:
            continue
        forward = found.forward[0]
        yield Report(
            rule,
            found.inverse,
            found.inverse.node,
            f"`{view.quote(found.inverse.node)}` transforms back along axis {found.axis}, but"
            f" `{view.quote(forward.node)}` ({view.place(forward.node)}) went along axis"
            f" {found.wanted}: frequencies stay there, and another axis is taken for frequencies",
            Culprit(found.inverse.node, output),
            None,
            f"transformed back along axis {found.wanted}",
            axis=found.wanted,
            local=True,
        )


def inverses_astray(view: View) -> list[Astray]:
    """The inverse transforms of a trace that go along none of the axes of the forward ones."""
    found: dict[object, Astray] = {}
    for operation in view.graph.operations:
        each = None if operation.elsewhere else view.remembered(astray, operation)
        if each is not None:
            found.setdefault(operation.node, each)
    return list(found.values())


def astray(operation: Operation, view: View) -> Astray | None:
    """The inverse transform that an operation is, if the forward ones have gone along one other."""
    if operation.kind != _RESTORED:
        return None
    axis, forward = _axis(operation, view), _forward(operation, view)
    axes = {_axis(each, view) for each in forward}
    if axis is None or len(axes) != 1 or axis in axes:
        return None
    (wanted,) = axes
    return None if wanted is None else Astray(operation, axis, tuple(forward), wanted)


def _axis(operation: Operation, view: View) -> int | None:
    """The axis of a transform, from 0: the last one where it names none."""
    shape = view.shape(operation.source)
    given = next((each.value for each in operation.operands if each.name == "axis"), None)
    axis = -1 if given is None else as_integer(given)
    if axis is None or shape is None or not shape.closed:
        return axis if axis is not None and axis >= 0 else None
    rank = len(shape.axes)
    return axis % rank if -rank <= axis < rank else None


def _forward(inverse: Operation, view: View) -> list[Operation]:
    """The transforms that a spectrum comes from element by element; none if another way leads back.

    A spectrum that was transformed along a second axis, or moved, is one of which nothing is said.
    """
    found: list[Operation] = []
    waiting: list[tuple[Tensor, int]] = [(inverse.source, 0)] if inverse.source else []
    while waiting:
        tensor, steps = waiting.pop()
        for made in view.graph.makers(tensor):
            if made is None:
                continue  # a filter of its own, or a learned one
            if made.kind == _REAL:
                found.append(made)
            elif steps >= _MOST_STEPS or made.kind in ("transform", _RESTORED):
                return []
            elif isinstance(made.event, Elementwise) or made.kind in COPYING:
                waiting += [(each, steps + 1) for _, each in made.tensors()]
            elif _has_spectrum(made, view):
                return []
    return found


def _has_spectrum(made: Operation, view: View) -> bool:
    """Whether a transform is behind what is no step from element to element."""
    waiting, seen = [made], {made.number}
    while waiting and len(seen) < _MOST_STEPS:
        for _, tensor in waiting.pop().tensors():
            for before in view.graph.known_makers(tensor):
                if before.kind in ("transform", _REAL):
                    return True
                if before.number not in seen:
                    seen.add(before.number)
                    waiting.append(before)
    return bool(waiting)
