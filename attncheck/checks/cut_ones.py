"""An axis of 1 that is cut to a length, where the axis that has so many places is left whole.

``pe[:T]`` of a table ``(1, longest, d)`` is the whole table: what was meant is ``pe[:, :T]``.
"""

from __future__ import annotations

from collections.abc import Iterator

from attncheck.algebra.shape import Axis
from attncheck.checks.picked import is_whole, keys_of
from attncheck.checks.report import Culprit, Report
from attncheck.checks.view import View
from attncheck.rule import Rule
from attncheck.values.value import NONE, Slice, Value, as_size, as_tensor

_MATRIX = 2


def cut_ones(rule: Rule, view: View) -> Iterator[Report]:
    """The reports of axes of 1 that are cut to as many places as an input has."""
    for operation in view.graph.operations:
        if operation.kind != "index" or operation.elsewhere or operation.clash is not None:
            continue
        shape = view.shape(operation.source)
        keys = keys_of(operation)
        if shape is None or not shape.closed or keys is None or len(keys) > len(shape.axes):
            continue
        whole = [NONE] * (len(shape.axes) - len(keys))
        cut = _cut(shape.axes, [*keys, *whole])
        output = as_tensor(operation.output)
        if cut is None or output is None:
            continue
        at, meant, length = cut
        yield Report(
            rule,
            operation,
            operation.node,
            f"`{view.quote(operation.node)}` cuts axis {at}, which is 1, to {length} places, and"
            f" leaves axis {meant} ({shape.axes[meant]}) whole",
            Culprit(operation.node, output),
            None,
            f"cut along axis {meant}, which has more than one place",
            hidden=f"hidden while {shape.axes[meant]} == {length}",
            moved=(at, meant),
        )


def _cut(axes: tuple[Axis, ...], keys: list[Value]) -> tuple[int, int, str] | None:
    """The one axis that is cut, if it is 1; the first that is not, and is left whole; the length.

    Of a table ``(1, longest, d)`` the last axis is that of the features.
    """
    cuts = [at for at, key in enumerate(keys) if not _is_whole(key)]
    if len(cuts) != 1 or not axes[cuts[0]].is_one:
        return None
    key = keys[cuts[0]]
    upper = as_size(key.upper) if type(key) is Slice and key.upper is not None else None
    if upper is None or upper.number is not None or type(key) is not Slice or key.step is not None:
        return None
    counted = axes[:-1] if len(axes) > _MATRIX else axes
    long = [at for at, axis in enumerate(counted) if not axis.is_one and axis.size is not None]
    known = len(long) == 1 and all(axis.size is not None for axis in axes)
    return (cuts[0], long[0], str(upper)) if known else None


def _is_whole(key: Value) -> bool:
    """Whether an axis is taken as it is."""
    return key == NONE or is_whole(key)
