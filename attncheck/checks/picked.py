"""Single places taken out of axes by a number: ``x[:, -1]``, ``h_n[0]``."""

from __future__ import annotations

from collections.abc import Iterator

from attncheck.algebra.shape import Axis
from attncheck.checks.view import View
from attncheck.graph import Operation
from attncheck.values.value import ELLIPSIS, NONE, Sequence, Slice, Value, as_size

LAST = -1


def picks(operation: Operation, view: View) -> Iterator[tuple[Axis, int]]:
    """The axes of a tensor that an index expression takes one place of, each with the number."""
    if operation.kind != "index":
        return
    shape = view.shape(operation.source)
    keys = keys_of(operation)
    if shape is None or not shape.closed or keys is None or len(keys) > len(shape.axes):
        return
    for axis, key in zip(shape.axes, keys, strict=False):
        size = None if type(key) is Slice else as_size(key)
        if size is not None and size.number is not None:
            yield axis, size.number


def keys_of(operation: Operation) -> list[Value] | None:
    """The items of an index expression from the front; None with ``...``, None or an array."""
    key = next((each.value for each in operation.operands if each.name == "key"), None)
    items = key.items if type(key) is Sequence else (key,)
    if items is None or any(not _is_plain(item) for item in items):
        return None
    return [item for item in items if item is not None]


def is_whole(key: Value) -> bool:
    """Whether an item of an index expression takes all of an axis."""
    return type(key) is Slice and all(each in (None, NONE) for each in (key.lower, key.upper))


def _is_plain(item: Value | None) -> bool:
    return item not in (None, ELLIPSIS, NONE) and (type(item) is Slice or as_size(item) is not None)
