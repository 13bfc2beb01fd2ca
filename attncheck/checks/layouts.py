"""How layers read the first two axes of what they get, and what the code says of these axes.

A recurrent or attention layer of torch takes its input time first, ``(T, B, *)``, unless it was
made with ``batch_first=True``. Sizes do not tell the two apart. What tells is what else the code
does with the axes: what it calls their sizes, which one a convolution takes for the batch, which
one weights are summed over, where the last step is taken from, what another layer takes them for.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

from attncheck.algebra.facts import Verdict
from attncheck.algebra.shape import Axis, Shape
from attncheck.checks.picked import LAST, picks
from attncheck.checks.tables import count_of, meetings
from attncheck.checks.view import View
from attncheck.evidence.axes import Counts, counts
from attncheck.graph import Operand, Operation
from attncheck.operators.events import Fault
from attncheck.record import record
from attncheck.tracer.layers import SEQUENCES
from attncheck.values.tensor import Tensor
from attncheck.values.value import TRUE, Const, Layer, Value, as_integer, as_tensor

#: The arguments that have a time and a batch axis, by operator.
_SEQUENCES = {**SEQUENCES, "pack_padded": ("x",)}

#: The tensor that an axis was born in, and its place there.
Birth: TypeAlias = tuple[str, int]


@record
class Reading:
    """How a layer's call reads an operand: which axis it takes for time, and which for the batch.

    ``said`` is whether the constructor names the layout.
    """

    operation: Operation
    operand: Operand
    tensor: Tensor
    shape: Shape
    batch_first: bool
    said: bool

    @property
    def time(self) -> Axis:
        """The axis that is taken for time."""
        return self.shape.axes[int(self.batch_first)]

    @property
    def batch(self) -> Axis:
        """The axis that is taken for the batch."""
        return self.shape.axes[int(not self.batch_first)]


def readings(view: View) -> Iterator[Reading]:
    """Each operand of three axes that a layer reads in one of the two layouts."""
    for operation in view.graph.operations:
        yield from readings_of(operation, view)


def readings_of(operation: Operation, view: View) -> Iterator[Reading]:
    """The operands of three axes that an operation reads in one of the two layouts."""
    names = _SEQUENCES.get(operation.kind, ())
    first = _batch_first(operation) if names else None
    if first is None:
        return
    for operand, tensor in operation.tensors():
        shape = as_read(tensor, view) if operand.name in names else None
        if shape is not None and shape.closed and _is_sequence(shape, operation):
            yield Reading(operation, operand, tensor, shape, *first)


def as_read(tensor: Tensor, view: View) -> Shape | None:
    """A tensor's shape in the names of when it was read, before the layer made any two equal."""
    closed = tensor.shape is not None and tensor.shape.closed
    return tensor.shape if closed else view.shape(tensor)


def _is_sequence(shape: Shape, operation: Operation) -> bool:
    return len(shape.axes) == 3 or (operation.kind == "pack_padded" and len(shape.axes) > 1)


def _batch_first(operation: Operation) -> tuple[bool, bool] | None:
    """Whether a layer was made batch first, and whether it says so; None if nobody knows."""
    for operand in operation.operands:
        if operand.name == "batch_first":
            return _said(operand.value)
        if operand.name == "layer":
            return _of_stack(operand.value)
    return False, False


def _of_stack(layer: Value) -> tuple[bool, bool] | None:
    if type(layer) is not Layer:
        return None
    given = layer.settings.get("batch_first")
    return (False, False) if given is None else _said(given)


def _said(value: Value) -> tuple[bool, bool] | None:
    is_flag = type(value) is Const and isinstance(value.value, bool)
    return (value == TRUE, True) if is_flag else None


# -- what the code says of axes --------------------------------------------------------------------


@record
class Witness:
    """Something in the code that takes an axis for the batch or for time, and in words why.

    ``beside`` are the births of the other axes that are there when it does (None: whatever they
    are). ``source`` is the operation; of one that is ``weak`` a layout that was chosen on purpose
    is taken to be right, and not what the witness says.
    """

    counts: Counts
    words: str
    source: Operation | None = None
    beside: frozenset[Birth] | None = None
    weak: bool = False


class Witnesses:
    """What the code of a trace says of axes, by their births."""

    def __init__(self, view: View) -> None:
        self._view = view
        self._found: dict[Birth, list[Witness]] = {}
        for operation in view.graph.operations:
            self._convolved(operation)
            self._last_step(operation)
        self._attended()
        self._numbered()
        for reading in readings(view):
            self._read(reading)

    def of(self, axis: Axis) -> Iterator[Witness]:
        """What is said of an axis, and by the name of its size."""
        named = counts(axis.size)
        if named is not None:
            yield Witness(named, f"the code calls axis {{axis}} {axis}")
        birth = birth_of(axis)
        if birth is not None:
            yield from self._found.get(birth, ())

    def _add(self, axis: Axis, witness: Witness) -> None:
        birth = birth_of(axis)
        if birth is not None and not axis.is_one:
            self._found.setdefault(birth, []).append(witness)

    def _convolved(self, operation: Operation) -> None:
        """A convolution of a batch of images or signals: ``(N, C, ...)``."""
        if operation.kind != "convolution":
            return
        shape = self._view.shape(operation.source)
        given = (as_integer(each.value) for each in operation.operands if each.name == "spatial")
        spatial = next(given, None)
        if shape is None or spatial is None or shape.rank != spatial + 2:
            return
        words = f"`{self._view.quote(operation.node)}` takes axis {{axis}} for the"
        self._add(shape.axes[0], Witness("batch", f"{words} batch", operation))
        for axis in shape.axes[2:]:
            self._add(axis, Witness("time", f"{words} places", operation))

    def _last_step(self, operation: Operation) -> None:
        for axis, number in picks(operation, self._view):
            if number == LAST:
                words = (
                    f"`{self._view.quote(operation.node)}` takes the last step from axis {{axis}}"
                )
                beside = _births(operation.source, self._view)
                self._add(axis, Witness("time", words, operation, beside, weak=True))

    def _attended(self) -> None:
        """Values summed under weights that are normalised over the same axis: the keys."""
        for site in self._view.sites:
            weights = self._view.shape(as_tensor(site.softmax.output))
            for total in site.sums:
                if len(total.contracted) != 1 or weights is None or not weights.closed:
                    continue
                (axis,) = total.contracted
                births = [birth_of(other) for other in weights.axes]
                if births.count(birth_of(axis)) != 1:
                    continue  # in self-attention the queries are of one birth with the keys
                sums = self._view.quote(total.operation.node)
                words = f"`{sums}` sums over axis {{axis}} under the weights"
                summed = [_births(tensor, self._view) for _, tensor in total.operation.tensors()]
                beside = frozenset[Birth]().union(*summed)
                self._add(axis, Witness("time", words, total.operation, beside))

    def _numbered(self) -> None:
        """What a table of positions, cut to length, is laid along: ``x + pe[:, :x.size(1)]``."""
        for meeting in meetings(self._view):
            beside = _births(meeting.tensor, self._view)
            for own, axis in meeting.pairs:
                if own is None or axis is None or axis.size is None or own.is_one:
                    continue
                count = None if meeting.given else count_of(self._view, meeting.table, own)
                verdict = None if count is None else self._view.facts.compare(count.size, axis.size)
                if verdict is Verdict.EQUAL:
                    made = meeting.operation
                    words = (
                        f"`{self._view.quote(made.node)}` numbers the positions of axis {{axis}}"
                    )
                    self._add(axis, Witness("time", words, made, beside, weak=True))

    def _read(self, reading: Reading) -> None:
        """Layers that name their layout speak for the axes of those that do not."""
        if not reading.said:
            return
        words = f"`{self._view.quote(reading.operation.node)}` takes axis {{axis}} for"
        source, beside = reading.operation, _births(reading.tensor, self._view)
        self._add(reading.time, Witness("time", f"{words} time", source, beside, weak=True))
        self._add(reading.batch, Witness("batch", f"{words} the batch", source, beside, weak=True))


def birth_of(axis: Axis) -> Birth | None:
    """Where an axis was born, on whichever side of a product with itself it stands."""
    return None if axis.tag is None else (axis.tag.root, axis.tag.index)


def _births(tensor: Tensor | None, view: View) -> frozenset[Birth]:
    shape = view.shape(tensor)
    axes = shape.axes if shape is not None and shape.closed else ()
    return frozenset(birth for axis in axes if (birth := birth_of(axis)) is not None)


# -- operands that agree in the other layout -------------------------------------------------------

#: The axis that counts sequences, of other arguments of such a layer.
_BATCH_OF = {
    "state": 1,
    "lengths": 0,
    "key_padding_mask": 0,
    "src_key_padding_mask": 0,
    "tgt_key_padding_mask": 0,
    "memory_key_padding_mask": 0,
}

#: The arguments that mask scores, query by key.
_SCORE_MASKS = frozenset({"attn_mask", "src_mask", "tgt_mask", "memory_mask", "mask"})


def turned(operation: Operation, view: View) -> Reading | None:
    """The reading of a layer whose operands only agree on a batch in the other layout, or None."""
    if operation.clash is None or operation.clash.fault is not Fault.AGREEMENT:
        return None
    found = list(readings_of(operation, view))
    sizes = [reading.time.size for reading in found]
    for operand, tensor in operation.tensors():
        shape, axis = view.shape(tensor), _BATCH_OF.get(operand.name)
        if axis is not None and shape is not None and shape.closed and len(shape.axes) > axis:
            sizes.append(shape.axes[axis].size)
    first, *others = sizes or [None]
    if first is None or not others:
        return None
    agree = (
        other is not None and view.facts.compare(first, other) is Verdict.EQUAL for other in others
    )
    if not all(agree):
        return None
    tensors = list(operation.tensors())
    operand, blamed = tensors[min(operation.clash.operand, len(tensors) - 1)]
    if operand.name in _SCORE_MASKS and not _covers(view.shape(blamed), found, view):
        return None
    return next((reading for reading in found if reading.tensor is blamed), found[0])


def _covers(mask: Shape | None, found: list[Reading], view: View) -> bool:
    """Whether a mask of scores has a column for each key of the other layout."""
    last = None if mask is None or not mask.closed else mask.axes[-1].size
    keys = found[-1].batch.size
    return last is not None and keys is not None and view.facts.compare(last, keys) is Verdict.EQUAL


# -- contradictions --------------------------------------------------------------------------------


@record
class Contradiction:
    """A reading that the code contradicts, and what says so of either axis."""

    reading: Reading
    of_time: tuple[Witness, ...]
    of_batch: tuple[Witness, ...]

    @property
    def is_default(self) -> bool:
        """Whether nobody has chosen the layout."""
        return not self.reading.said


def contradictions(view: View) -> Iterator[Contradiction]:
    """The readings that everything which the code says of the axes speaks against."""
    for reading, against, supported in _weighed(view):
        if any(against) and not supported:
            yield Contradiction(reading, *against)


def chosen(view: View) -> Iterator[Reading]:
    """The readings of layers whose layout was named, or that the code goes along with."""
    for reading, against, supported in _weighed(view):
        if supported or (reading.said and not any(against)):
            yield reading


_Against: TypeAlias = tuple[tuple[Witness, ...], tuple[Witness, ...]]


def _weighed(view: View) -> Iterator[tuple[Reading, _Against, bool]]:
    """The readings, each with what speaks against it, and whether something speaks for it."""
    found = list(readings(view))
    witnesses = view.once(Witnesses) if found else None
    for reading in found:
        assert witnesses is not None
        time, batch = (
            [each for each in witnesses.of(axis) if _speaks(each, reading, other)]
            for axis, other in ((reading.time, reading.batch), (reading.batch, reading.time))
        )
        against = tuple(_of(time, "batch")), tuple(_of(batch, "time"))
        yield reading, against, any((*_of(time, "time"), *_of(batch, "batch")))


def _of(witnesses: list[Witness], counted: Counts) -> Iterator[Witness]:
    return (witness for witness in witnesses if witness.counts == counted)


def _speaks(witness: Witness, reading: Reading, other: Axis) -> bool:
    """Whether a witness has a say in a reading: it knows both axes, and is not the layer itself."""
    if witness.source is reading.operation or (witness.weak and reading.said):
        return False
    return witness.beside is None or birth_of(other) in witness.beside
