"""Index expressions: basic and advanced indexing by NumPy's rules, and torch's where they differ.

Reference: NumPy user guide, "Indexing on ndarrays". The advanced indices (integer and boolean
arrays) broadcast against each other; the result's axes stand where they stood if they are next to
each other, in front of all others if not. NumPy counts an integer beside an array as an array,
torch applies it first, as a selection of its own.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass, field
from typing import TypeAlias

from attncheck.algebra.bounds import at_least
from attncheck.algebra.broadcast import Broadcast, How, broadcast, broadcast_all
from attncheck.algebra.facts import Facts, Verdict
from attncheck.algebra.shape import SCALAR, Axis, Shape, expand
from attncheck.algebra.size import ONE, Size, const
from attncheck.operators.call import LIKE_NUMPY, Call
from attncheck.operators.elementwise import without_marks
from attncheck.operators.events import Clash, Elementwise, Fault, Outcome, Selection
from attncheck.operators.literals import literal_shape
from attncheck.operators.seats import leading, trailing
from attncheck.operators.slicing import covers, slice_axis
from attncheck.record import record
from attncheck.values.tensor import Tensor
from attncheck.values.value import Const, Int, Scalar, Sequence, Slice, Value

#: The dtypes of what indexes and is no mask.
INDICES = frozenset({"int", "number"})


class Kind(enum.Enum):
    """What one item of an index expression does."""

    SLICE = "slice"
    INTEGER = "integer"
    NEW = "new axis"
    ELLIPSIS = "ellipsis"
    ARRAY = "array"
    MASK = "mask"


@record
class Item:
    """One item: its kind, how many axes of the tensor it takes, and its value or its shape."""

    kind: Kind
    takes: int
    value: Value
    shape: Shape | None = None


_ELLIPSIS = Item(Kind.ELLIPSIS, 0, Const(...))
_FULL_SLICE = Slice(None, None, None)


def index(call: Call) -> Outcome:
    """``x[key]``: the tensor that an index expression selects.

    ``key`` is a sequence of the items between the brackets. Clashes with more items than axes, an
    integer provably out of range, a mask of other sizes than the axes it lies on, or index arrays
    that do not broadcast.
    """
    tensor = call.tensor("x")
    dtype = None if tensor is None else tensor.dtype
    unknown = call.make(None, dtype)
    items = _items(call)
    if tensor is None or tensor.shape is None or items is None:
        return Outcome(unknown)
    split = _split_shape(tensor.shape, items, call.facts)
    if isinstance(split, Clash):
        return Outcome(unknown, clash=split)
    if split is None:
        return Outcome(unknown)
    walk = _Walk(call.facts, call.library)
    walk.run(split)
    shape, kept = walk.result(split)
    if shape is None or walk.clash is not None:
        return Outcome(unknown, clash=walk.clash)
    return Outcome(call.make(shape, dtype), None if kept is None else Selection(kept))


def assign(call: Call) -> Outcome:
    """``x[key] = y``: ``y`` must broadcast to what the key selects; the value is ``x``."""
    target = index(call)
    selected = target.value.shape if type(target.value) is Tensor else None
    return _write(call, selected, target.clash)


def overwrite(call: Call) -> Outcome:
    """``x.copy_(y)``: ``y`` must broadcast to ``x``; the value is ``x``."""
    return _write(call, call.shape("x"), None)


def _write(call: Call, selected: Shape | None, clash: Clash | None) -> Outcome:
    """Write ``y`` into a part of ``x`` of the shape `selected`."""
    tensor, written = call.tensor("x"), call.shape("y")
    shape = None if tensor is None or tensor.shape is None else without_marks(tensor.shape)
    result = call.make(None) if tensor is None else tensor.with_shape(shape)
    if clash is not None or written is None or selected is None:
        return Outcome(result, clash=clash)
    if not (written.closed and selected.closed):
        return Outcome(result)
    made = broadcast(selected, written, call.facts)
    return Outcome(result, Elementwise("=", made), _unwritable(selected, written, made))


def _unwritable(selected: Shape, written: Shape, made: Broadcast) -> Clash | None:
    """Why `written` does not fit: what is written into is never stretched."""
    text = f"writes {written} into {selected}"
    for pairing in made.pairings:
        left, right = pairing.left, pairing.right
        if right is None or right.is_one or right.size is None:
            continue
        if left is not None and pairing.how is How.CLASH:
            sizes = left.size, right.size
            reason = f"{text}: {right} meets {left}"
            return Clash(Fault.BROADCAST, reason, 1, *sizes, verdict=pairing.verdict)
        verdict = _more_than_one(right.size)
        if verdict.clashes and (left is None or left.is_one):
            reason = f"{text}: {right} has no axis to go to"
            return Clash(Fault.BROADCAST, reason, 1, ONE, right.size, verdict)
    return None


def _more_than_one(size: Size) -> Verdict:
    """Whether a size is not 1: proved, or because it is a size of the dimension table."""
    if at_least(size, const(2)):
        return Verdict.DIFFERENT
    named = all(symbol.table for symbol in size.symbols())
    return Verdict.DISTINCT if named else Verdict.UNKNOWN


# -- reading the key ---------------------------------------------------------------------------


def _items(call: Call) -> list[Item] | None:
    key = call.arguments.get("key")
    if type(key) is not Sequence or key.items is None:
        return None
    items = [_item(value, call) for value in key.items]
    return None if None in items else [item for item in items if item is not None]


def _item(value: Value, call: Call) -> Item | None:
    if type(value) is Slice:
        return Item(Kind.SLICE, 1, value)
    if type(value) is Int or (type(value) is Scalar and value.kind == "int"):
        return Item(Kind.INTEGER, 1, value)
    if type(value) is Const:
        if value.value is None:
            return Item(Kind.NEW, 0, value)
        return _ELLIPSIS if value.value is ... else None
    if type(value) is Sequence:
        return _array_item(literal_shape(value, call.facts), value)
    if type(value) is not Tensor or value.shape is None:
        return None
    return _array_item((expand(value.shape, call.facts), value.dtype), value)


def _array_item(array: tuple[Shape | None, str | None], value: Value) -> Item | None:
    """The item of an index array; None unless its axes and its kind are known.

    Without the kind not even the number of axes that it takes is known.
    """
    shape, dtype = array
    if shape is None or not shape.closed:
        return None
    if dtype in INDICES and not shape.lead:
        return Item(Kind.INTEGER, 1, value)
    if dtype == "bool" and shape.lead:
        return Item(Kind.MASK, len(shape.lead), value, shape)
    return Item(Kind.ARRAY, 1, value, shape) if dtype in INDICES else None


# -- which axes each item takes ----------------------------------------------------------------


@record
class _Split:
    """An index expression laid beside a shape: items in front, the untouched middle, items behind.

    ``middle`` is a shape of its own, open if the tensor's is; ``first`` and ``last`` the axes that
    the items take.
    """

    front: list[Item]
    first: tuple[Axis, ...]
    middle: Shape
    back: list[Item]
    last: tuple[Axis, ...]


def _split_shape(shape: Shape, items: list[Item], facts: Facts) -> _Split | Clash | None:
    places = [number for number, item in enumerate(items) if item.kind is Kind.ELLIPSIS]
    if len(places) > 1:
        return Clash(Fault.RANK, "indexes with more than one `...`")
    at = places[0] if places else len(items)
    front, back = items[:at], items[at + 1 :]
    taken = sum(item.takes for item in items)
    if shape.rank is not None and taken > shape.rank:
        axes = f"{taken} {'axis' if taken == 1 else 'axes'}"
        return Clash(Fault.RANK, f"indexes {axes} of {shape}")
    if shape.rank is None:
        _strip(front, back)
    before, after = (sum(item.takes for item in part) for part in (front, back))
    grown = leading(shape, before, facts, rank=taken)
    if grown is None:
        return None
    grown = trailing(grown, after, facts, rank=taken)
    if grown is None:
        return None
    if grown.rank is not None:
        end = grown.rank - after
        middle = Shape(grown.lead[before:end])
        return _Split(front, grown.lead[:before], middle, back, grown.lead[end:])
    end = len(grown.trail) - after
    middle = Shape(grown.lead[before:], grown.row, grown.trail[:end])
    return _Split(front, grown.lead[:before], middle, back, grown.trail[end:])


def _strip(front: list[Item], back: list[Item]) -> None:
    """Drop whole-axis slices beside the middle: of an open shape they need not be told apart."""
    while front and _is_full(front[-1]):
        front.pop()
    while back and _is_full(back[0]):
        back.pop(0)


def _is_full(item: Item) -> bool:
    return item.kind is Kind.SLICE and item.value == _FULL_SLICE


# -- applying the items ------------------------------------------------------------------------


#: An axis of the result, with the number of the input axis that it is (None: a new one).
_Made: TypeAlias = tuple[Axis, int | None]


@dataclass(slots=True)
class _Walk:
    """The result as it is built up, item by item."""

    facts: Facts
    library: str
    front: list[_Made] = field(default_factory=list)
    back: list[_Made] = field(default_factory=list)
    arrays: list[Shape] = field(default_factory=list)
    #: where the axes of the index arrays go: ``(part, position)``
    place: tuple[int, int] | None = None
    #: whether an array was met, something else after it, and then another array
    apart: bool = False
    gap: bool = False
    #: whether an open middle decides that
    perhaps_apart: bool = False
    uncertain: bool = False
    clash: Clash | None = None

    def run(self, split: _Split) -> None:
        """Apply all items."""
        counts = self.library in LIKE_NUMPY and any(
            item.kind in {Kind.ARRAY, Kind.MASK} for item in (*split.front, *split.back)
        )
        self._part(0, split.front, split.first, 0, counts)
        if self.place is not None:
            # For NumPy even an ellipsis that stands for no axis keeps arrays apart.
            ellipsis = self.library in LIKE_NUMPY and bool(split.back)
            self.gap = self.gap or ellipsis or bool(split.middle.at_least)
            self.perhaps_apart = not self.gap and not split.middle.closed
        self._part(1, split.back, split.last, -len(split.last), counts)

    def _part(
        self, part: int, items: list[Item], axes: tuple[Axis, ...], offset: int, counts: bool
    ) -> None:
        made = self.back if part else self.front
        position = 0
        for item in items:
            taken = axes[position : position + item.takes]
            if item.kind is Kind.NEW:
                made.append((Axis(ONE, made="new"), None))
                self.gap = self.gap or self.place is not None
            elif item.kind is Kind.SLICE:
                assert type(item.value) is Slice
                cut = slice_axis(taken[0], item.value, self.facts, in_loop=True)
                made.append((cut, position + offset))
                self.gap = self.gap or self.place is not None
            else:
                self._select(item, taken, (part, len(made)), counts)
            position += item.takes

    def _select(
        self, item: Item, taken: tuple[Axis, ...], place: tuple[int, int], counts: bool
    ) -> None:
        if item.kind is Kind.INTEGER:
            self._check_range(item, taken[0])
            if not counts:
                return
            self.arrays.append(SCALAR)
        elif item.kind is Kind.MASK:
            self._check_mask(item, taken)
            self.arrays.append(Shape((Axis(None),)))
        else:
            assert item.shape is not None
            self.arrays.append(item.shape)
        if self.place is None:
            self.place = place
        elif self.gap:
            self.apart = True
        elif self.perhaps_apart:
            self.uncertain = True

    def _check_range(self, item: Item, axis: Axis) -> None:
        if type(item.value) is not Int or item.value.size is None or axis.size is None:
            return
        number = self.facts.resolve(item.value.size)
        size = self.facts.resolve(axis.size)
        if covers(size, number) is False:
            text = f"takes index {number} of an axis of {size}"
            self.clash = self.clash or Clash(Fault.AXIS, text, 0, size, number)

    def _check_mask(self, item: Item, taken: tuple[Axis, ...]) -> None:
        assert item.shape is not None
        for mask, axis in zip(item.shape.lead, taken, strict=True):
            if mask.size is None or axis.size is None:
                continue
            text = f"indexes an axis of {axis.size} with a mask of {mask.size}"
            verdict = self.facts.force(axis.size, mask.size, text)
            if verdict.clashes:
                found = Clash(Fault.BROADCAST, text, 1, axis.size, mask.size, verdict)
                self.clash = self.clash or found

    def result(self, split: _Split) -> tuple[Shape | None, tuple[int | None, ...] | None]:
        """The selected shape, and the input axes that its axes are (None where not countable)."""
        front, back = list(self.front), list(self.back)
        if self.arrays:
            total = broadcast_all(self.arrays, self.facts)
            if total.clashes:
                self._blame(total)
            if total.shape is None or self.uncertain or self.clash is not None:
                return None, None
            made: list[_Made] = [(axis, None) for axis in total.shape.lead]
            part, position = (0, 0) if self.apart or self.place is None else self.place
            side = back if part else front
            side[position:position] = made
        return _assembled(front, split, back)

    def _blame(self, total: Broadcast) -> None:
        pairing = total.clashes[0]
        if pairing.left is None or pairing.right is None:
            return
        shapes = " and ".join(str(shape) for shape in self.arrays)
        text = f"indexes with arrays of {shapes}: {pairing.left} meets {pairing.right}"
        self.clash = Clash(
            Fault.BROADCAST, text, 1, pairing.left.size, pairing.right.size, pairing.verdict
        )


def _assembled(
    front: list[_Made], split: _Split, back: list[_Made]
) -> tuple[Shape, tuple[int | None, ...] | None]:
    middle = split.middle
    lead = tuple(axis for axis, _ in front)
    trail = tuple(axis for axis, _ in back)
    if middle.row is not None:
        return Shape(lead + middle.lead, middle.row, middle.trail + trail), None
    before = len(split.first)
    rank = before + len(middle.lead) + len(split.last)
    kept: list[int | None] = [number for _, number in front]
    kept += range(before, before + len(middle.lead))
    kept += [None if number is None else number + rank for _, number in back]
    return Shape(lead + middle.lead + trail), tuple(kept)
