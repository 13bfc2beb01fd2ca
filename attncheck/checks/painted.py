"""Regions written into a map by slices that cut an axis of 1 in the place of a longer one.

``regions[:, h, w, :] = n`` paints a map of shape ``(1, H, W, 1)``; one of ``(1, 1, H, W)`` it
paints in stripes: the rows' slices cut the axis of the channel, where most of them are empty, the
columns' slices the rows, and the columns are never told apart (Liu et al. 2021, "Swin Transformer",
section 3.2, wants a region for each pair of slices).
"""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from attncheck.algebra.bounds import never_negative
from attncheck.algebra.shape import Axis
from attncheck.checks.picked import is_whole, keys_of
from attncheck.checks.report import Culprit, Report
from attncheck.checks.view import View
from attncheck.evidence.identifiers import spoken
from attncheck.graph import Operation
from attncheck.record import record
from attncheck.rule import Rule
from attncheck.table import Role, role_of
from attncheck.values.value import Slice, Value, as_size

#: The operation that writes into a part of a tensor.
_WRITE = "write"


@record
class Painted:
    """A write whose slices cut some axes of a map in the place of others, in their order."""

    node: cst.Subscript
    cut: tuple[int, ...]
    meant: tuple[int, ...]
    #: the axis of 1 of which the write finds nothing
    empty: int


def painted(rule: Rule, view: View, *, masks: bool) -> Iterator[Report]:
    """The reports of maps that are painted along the wrong axes: of masks by name, or of others."""
    told = set[cst.CSTNode]()
    for operation in view.graph.operations:
        found = view.remembered(painted_wrong, operation)
        if found is None or found.node in told or is_mask(operation) is not masks:
            continue
        told.add(found.node)
        operand, tensor = next(operation.tensors())
        sizes, name = view.sizes(tensor), view.quote(operand.node)
        assert operand.node is not None
        left = next(axis for axis in found.meant if axis not in found.cut)
        yield Report(
            rule,
            operation,
            found.node,
            f"`{view.quote(found.node)}` cuts axes {_listed(found.cut)} of `{name}`"
            f" {view.text(tensor)}: axis {found.empty} has one place, so that a slice is empty or"
            f" takes it whole, and axis {left} is never cut; nothing raises",
            Culprit(operand.node, tensor),
            sizes,
            f"cut along axes {_listed(found.meant)}, which have more than one place",
        )


def is_mask(operation: Operation) -> bool:
    """Whether the map that is written to is a mask by its name."""
    name = spoken(next(operation.tensors())[0].node)
    return name is not None and role_of(name) is Role.MASK


def painted_wrong(operation: Operation, view: View) -> Painted | None:
    """Which axes a write cuts, if one of them is 1, empty, and as many longer ones were meant."""
    node = operation.node
    if operation.kind != _WRITE or operation.elsewhere or not isinstance(node, cst.Subscript):
        return None
    shape, keys = view.shape(operation.source), keys_of(operation)
    if shape is None or not shape.closed or keys is None or len(keys) != len(shape.axes):
        return None
    axes = shape.axes
    cut = tuple(place for place, key in enumerate(keys) if not is_whole(key))
    meant = tuple(place for place, axis in enumerate(axes) if not axis.is_one)
    empty = [place for place in cut if _is_empty(axes[place], keys[place])]
    if not empty or len(cut) != len(meant):
        return None
    return Painted(node, cut, meant, empty[0])


def _is_empty(axis: Axis, key: Value) -> bool:
    """Whether a slice takes nothing of an axis of 1: ``:-n`` ends before its only place."""
    upper = as_size(key.upper) if type(key) is Slice and key.upper is not None else None
    return axis.is_one and upper is not None and never_negative(-upper)


def _listed(places: tuple[int, ...]) -> str:
    return " and ".join(map(str, places))
