"""What call sites tell about the parameters of a function: kinds and numbers of axes, no sizes.

A function that is traced in general has parameters of which nothing is known. Where all the calls
that other traces have run agree on the number of axes of an argument, the function is traced with
as many; which of its sizes are equal is for its own operations to show.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping

import libcst as cst

from attncheck.algebra.facts import Facts
from attncheck.algebra.shape import Shape, fresh_axis, open_shape
from attncheck.algebra.size import ZERO
from attncheck.evidence.roles import is_mask_name
from attncheck.operators.masking import MASK
from attncheck.record import record, replace
from attncheck.values.tensor import Evidence, Tensor
from attncheck.values.value import (
    ALIKE,
    NONE,
    UNKNOWN,
    Class,
    Function,
    Instance,
    Sequence,
    Value,
    as_tensor,
    expanded,
)


@record
class Sketch:
    """A tensor of ``rank`` axes, or a tuple of sketches (``items``)."""

    rank: int = 0
    items: tuple[Sketch | None, ...] | None = None
    library: str | None = None
    dtype: str | None = None
    evidence: Evidence = Evidence.CODE
    optional: bool = False


#: What calls say that contradict each other.
_CONFLICT = Sketch(-1)


def sketch_of(value: Value, facts: Facts) -> Sketch | None:
    """What is certain of an argument, or None if that is nothing."""
    if type(value) is Sequence and value.items is not None:
        return Sketch(items=tuple(sketch_of(item, facts) for item in value.items))
    tensor = as_tensor(value)
    shape = expanded(value, facts)
    if tensor is None or shape is None or shape.rank is None:
        return None
    if shape.rank == 1 and shape.lead[0].size == ZERO:
        return None  # ``torch.tensor([])`` stands for a tensor of any rank, until there is one
    return Sketch(
        shape.rank,
        library=tensor.library,
        dtype=tensor.dtype,
        evidence=tensor.evidence,
        optional=tensor.optional,
    )


class Sketches:
    """What the calls of one function have shown of its parameters, call site by call site.

    A call that is traced several times, from functions of which now more, now less is known, counts
    as the traces that know most say. A parameter is known if it is known at each of its calls.
    """

    __slots__ = ("_sites",)

    def __init__(self) -> None:
        self._sites: dict[str, dict[object, Sketch | None]] = {}

    def take(self, arguments: Mapping[str, Value], site: object, facts: Facts) -> None:
        """Add what the call at `site` says."""
        for name, value in arguments.items():
            if value != NONE:
                self._add(name, site, sketch_of(value, facts))

    def merge(self, other: Sketches) -> None:
        """Add what the calls of another trace say."""
        for name, sites in other._sites.items():
            for site, sketch in sites.items():
                self._add(name, site, sketch)

    def _add(self, name: str, site: object, sketch: Sketch | None) -> None:
        sites = self._sites.setdefault(name, {})
        known = sites.get(site)
        sites[site] = sketch if known is None else _agreed(known, sketch or known)

    def names(self) -> list[str]:
        """The parameters that some call has given."""
        return list(self._sites)

    def of(self, name: str) -> Sketch | None:
        """What all calls agree on about a parameter, or None."""
        sites = list(self._sites.get(name, {}).values())
        known = [sketch for sketch in sites if sketch is not None]
        if not known or len(known) < len(sites):
            return None
        agreed = functools.reduce(_agreed, known)
        return None if agreed == _CONFLICT else agreed

    def known(self) -> dict[str, Sketch]:
        """What all calls agree on, parameter by parameter."""
        agreed = {name: self.of(name) for name in self._sites}
        return {name: sketch for name, sketch in agreed.items() if sketch}


def shown_by_calls(sketches: Mapping[Function, Sketches]) -> dict[str, dict[str, Sketch]]:
    """What calls have shown of the parameters of all functions, by qualified name.

    A lambda has the name of the function that it stands in.
    """
    named = (each for each in sketches.items() if not isinstance(each[0].node, cst.Lambda))
    return {function.qualified: sketch.known() for function, sketch in named}


class Attributes:
    """What methods have left in attributes that others then find there: kinds, no sizes."""

    __slots__ = ("_left",)

    def __init__(self) -> None:
        self._left: dict[tuple[Class, str], dict[Function, Sketch]] = {}

    def note(self, method: Function, instance: Instance, facts: Facts) -> None:
        """Add what the attributes that `method` may have replaced hold after it."""
        for name in instance.of.replaced:
            value = instance.attributes.get(name)
            sketch = None if value is None or value is ALIKE else sketch_of(value, facts)
            if sketch is not None and sketch.items is None:
                self._left.setdefault((instance.of, name), {})[method] = sketch

    def recall(self, instance: Instance) -> None:
        """Put into attributes of which nothing is known what all methods leave in them."""
        for name in instance.of.replaced:
            left = self._left.get((instance.of, name))
            if left and instance.attributes.get(name) is ALIKE:
                sketch = functools.reduce(_agreed, left.values())
                if sketch != _CONFLICT:
                    known = replace(sketch, evidence=Evidence.NAME)
                    instance.attributes[name] = filled(known, name)


def _agreed(one: Sketch, other: Sketch) -> Sketch:
    """What two calls agree on."""
    if one.items is not None and other.items is not None and len(one.items) == len(other.items):
        pairs = zip(one.items, other.items, strict=True)
        return Sketch(
            items=tuple(None if a is None or b is None else _agreed(a, b) for a, b in pairs)
        )
    if one.items is not other.items or one.rank != other.rank:
        return _CONFLICT
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
                UNKNOWN if item is None or item == _CONFLICT else filled(item, f"{name}_{index}")
                for index, item in enumerate(sketch.items)
            )
        )
    row = open_shape(name).row
    assert row is not None
    shape = Shape(tuple(fresh_axis(row, index) for index in range(sketch.rank)))
    return Tensor(
        shape,
        sketch.library,
        sketch.dtype,
        MASK if is_mask_name(name) else None,
        sketch.evidence,
        optional=sketch.optional,
    )
