"""What call sites tell about the parameters of a function: kinds and numbers of axes, no sizes.

A function that is traced in general has parameters of which nothing is known. Where all the calls
that other traces have run agree on the number of axes of an argument, the function is traced with
as many; which of its sizes are equal is for its own operations to show.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from attncheck.algebra.facts import Facts
from attncheck.algebra.shape import Shape, fresh_axis, open_shape
from attncheck.values.tensor import Evidence, Tensor
from attncheck.values.value import NONE, UNKNOWN, Sequence, Value, as_tensor, expanded


@dataclass(frozen=True, slots=True)
class Sketch:
    """A tensor of ``rank`` axes, or a tuple of sketches (``items``)."""

    rank: int = 0
    items: tuple[Sketch | None, ...] | None = None
    library: str | None = None
    dtype: str | None = None
    evidence: Evidence = Evidence.CODE
    optional: bool = False


#: By parameter name; None where calls contradict each other.
Sketches = dict[str, Sketch | None]


def sketch_of(value: Value, facts: Facts) -> Sketch | None:
    """What is certain of an argument, or None if that is nothing."""
    if type(value) is Sequence and value.items is not None:
        return Sketch(items=tuple(sketch_of(item, facts) for item in value.items))
    tensor = as_tensor(value)
    shape = expanded(value, facts)
    if tensor is None or shape is None or shape.rank is None:
        return None
    return Sketch(
        shape.rank,
        library=tensor.library,
        dtype=tensor.dtype,
        evidence=tensor.evidence,
        optional=tensor.optional,
    )


def take(sketches: Sketches, arguments: Mapping[str, Value], facts: Facts) -> None:
    """Add what one call says about a function's parameters."""
    for name, value in arguments.items():
        if value == NONE:
            continue
        new = sketch_of(value, facts)
        if new is not None:
            sketches[name] = new if name not in sketches else _agreed(sketches[name], new)


def _agreed(one: Sketch | None, other: Sketch | None) -> Sketch | None:
    """What two calls agree on, or None."""
    if one is None or other is None:
        return None
    if one.items is not None and other.items is not None:
        if len(one.items) != len(other.items):
            return None
        return Sketch(items=tuple(map(_agreed, one.items, other.items)))
    if one.items is not other.items or one.rank != other.rank:
        return None
    return Sketch(
        one.rank,
        library=one.library if one.library == other.library else None,
        dtype=one.dtype if one.dtype == other.dtype else None,
        evidence=max(one.evidence, other.evidence),
        optional=one.optional or other.optional,
    )


def filled(sketch: Sketch, name: str) -> Value:
    """A value of this kind, with a size of its own for every axis."""
    if sketch.items is not None:
        return Sequence(
            tuple(
                UNKNOWN if item is None else filled(item, f"{name}_{index}")
                for index, item in enumerate(sketch.items)
            )
        )
    row = open_shape(name).row
    assert row is not None
    shape = Shape(tuple(fresh_axis(row, index) for index in range(sketch.rank)))
    return Tensor(
        shape, sketch.library, sketch.dtype, evidence=sketch.evidence, optional=sketch.optional
    )
