"""Unknown sizes under a name: what a variable holds has one size, though nobody knows which.

Where two branches give a variable different sizes, or an operator cannot tell one, the variable has
some one size all the same whenever the program runs. It gets a symbol of its own, named after the
variable, so that what is made from it can still be followed. What a container holds is left alone:
its items may differ.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from attncheck.algebra.facts import Binding
from attncheck.algebra.shape import Axis, Row, Shape, open_shape, seen_from_one_end
from attncheck.algebra.size import Size, Symbol, of
from attncheck.record import record, replace
from attncheck.values.tensor import Tensor
from attncheck.values.value import Int, Parameter, Sequence, Value, as_size, as_tensor

if TYPE_CHECKING:
    from attncheck.tracer.machine import Machine


@record
class Learned:
    """What one way has learned: of symbols, and of the unknown middles of shapes."""

    sizes: dict[Symbol, Size]
    rows: dict[Row, Shape]

    @classmethod
    def of(cls, facts: list[tuple[object, object]]) -> Learned:
        """What a list of facts says of symbols and rows."""
        sizes = {key: fact.size for key, fact in facts if type(fact) is Binding}
        rows = {key: fact for key, fact in facts if type(key) is Row and type(fact) is Shape}
        return cls({key: size for key, size in sizes.items() if type(key) is Symbol}, rows)

    def resolve(self, size: Size) -> Size:
        """`size` by what was learned of its symbols; each is bound to a size without it."""
        while not self.sizes.keys().isdisjoint(size.all_symbols):
            size = size.replace(self.sizes.get)
        return size

    def listed(self, shape: Shape) -> Shape:
        """The sizes of a shape, and what is left of its row, by what was learned."""
        while shape.row is not None and shape.row in self.rows:
            found = self.rows[shape.row]
            lead, trail = shape.lead + found.lead, found.trail + shape.trail
            shape = Shape(lead, found.row, trail) if found.row else Shape(lead + trail)
        lead, trail = (
            tuple(Axis(axis.size and self.resolve(axis.size)) for axis in axes)
            for axes in (shape.lead, shape.trail)
        )
        return Shape(lead, shape.row, trail)


@dataclass(slots=True)
class Together:
    """Sizes that differ between so many ``ways``, and are one wherever they change together.

    ``x`` is padded and ``length`` is set on one way, and neither on the other: the axis of ``x`` is
    ``length`` long behind both. ``learned`` is what each way knows and others do not.
    """

    learned: list[Learned]
    _found: dict[tuple[Size, ...], Size] = field(default_factory=dict)

    def tie(self, machine: Machine, name: str, value: Value, values: list[Value]) -> Value:
        """What all of `values` are, one for each way, with a symbol for each size that all know."""
        if len(values) < self.ways:
            return value
        if as_size(value) is None and type(value) in (Int, Parameter):
            symbol = machine.evidence.found(name)
            size = self._one(machine, symbol, [as_size(each) for each in values])
            if size is not None:
                return replace(value, number=Int(size)) if type(value) is Parameter else Int(size)
        if type(value) is Tensor and (value.shape is None or value.shape.closed):
            shapes = [tensor.shape for each in values if (tensor := as_tensor(each))]
            if value.shape is not None:
                return value.with_shape(self._shape(machine, name, value.shape, shapes))
            return value.with_shape(self._open(machine, shapes))
        return value

    def _open(self, machine: Machine, shapes: list[Shape | None]) -> Shape | None:
        """The open shape of one way that is that of every other way as well.

        ``x = proj(x)`` on one way has as many axes as x has on the other. They are x's own there
        only, so the row has none that were born in x.
        """
        known = [each for each in shapes if each is not None]
        if len(known) < self.ways:
            return None
        for whole in known:
            if whole.row is not None and all(
                each.listed(whole) == each.listed(shape)
                for shape, each in zip(known, self.learned, strict=True)
            ):
                return seen_from_one_end(whole, (), (), machine.facts)
        return None

    def _shape(
        self, machine: Machine, name: str, shape: Shape, shapes: list[Shape | None]
    ) -> Shape:
        known = [each for each in shapes if each is not None and each.rank == shape.rank]
        if len(known) < self.ways:
            return shape
        lead = list(shape.lead)
        for place, axis in enumerate(lead):
            if axis.size is None:
                sizes = [each.lead[place].size for each in known]
                size = self._one(machine, Symbol(f"{name}_{place}", found=True), sizes)
                if size is not None and size.symbol is not None:
                    size.symbol.positive = True  # as every axis is taken to be
                lead[place] = replace(axis, size=size)
        return Shape(tuple(lead))

    def _one(self, machine: Machine, symbol: Symbol, sizes: list[Size | None]) -> Size | None:
        """The size that is each of `sizes` on its way; None if one of them is not known."""
        known = tuple(machine.facts.resolve(size) for size in sizes if size is not None)
        if len(known) < self.ways:
            return None
        return self._on_all(known) or self._found.setdefault(known, of(symbol))

    def _on_all(self, sizes: tuple[Size, ...]) -> Size | None:
        """The one of these sizes that every other one is as well, by what was learned on its way.

        ``q = proj(q)`` on one way, where ``proj`` keeps the size, which q must have had therefore.
        """
        for candidate in dict.fromkeys(sizes) if any(each.sizes for each in self.learned) else ():
            pairs = zip(sizes, self.learned, strict=True)
            if all(each.resolve(candidate) == each.resolve(size) for size, each in pairs):
                return candidate
        return None

    @property
    def ways(self) -> int:
        """How many ways there are."""
        return len(self.learned)


def settle(machine: Machine, name: str, value: Value) -> Value:
    """`value` with a symbol for each of its sizes that nobody knows."""
    if type(value) is Tensor:
        if value.shape is None and machine.evidence.presuming:
            return value.with_shape(open_shape(name))
        return _tensor(name, value)
    if type(value) is Int:
        return Int(of(machine.evidence.found(name))) if value.size is None else value
    if type(value) is Parameter:
        if value.number.size is None:
            return replace(value, number=Int(of(machine.evidence.found(name))))
        return value
    if type(value) is Sequence and value.items is not None and not value.mutable:
        return _tuple(machine, name, value)
    return value


def _tensor(name: str, value: Tensor) -> Tensor:
    shape = value.shape
    if shape is None or not any(axis.size is None for axis in (*shape.lead, *shape.trail)):
        return value
    count = len(shape.trail)
    lead = tuple(_axis(f"{name}_{i}", axis) for i, axis in enumerate(shape.lead))
    trail = tuple(_axis(f"{name}_last{count - i}", axis) for i, axis in enumerate(shape.trail))
    return value.with_shape(Shape(lead, shape.row, trail))


def _axis(name: str, axis: Axis) -> Axis:
    return axis if axis.size is not None else replace(axis, size=of(Symbol(name, found=True)))


def _tuple(machine: Machine, name: str, value: Sequence) -> Sequence:
    """A tuple of sizes: ``shape = x.shape[:-1]``."""
    assert value.items is not None
    if not any(type(item) is Int and item.size is None for item in value.items):
        return value
    items = tuple(
        settle(machine, f"{name}_{index}", item) if type(item) is Int else item
        for index, item in enumerate(value.items)
    )
    return replace(value, items=items)
