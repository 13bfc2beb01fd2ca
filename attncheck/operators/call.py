"""One call of an operator: its arguments by their neutral names, and the facts of the path.

Operators never see Python: the tracer has bound positions and keywords, a framework table has
translated the library's parameter names (``dim``, ``keepdim``) into the neutral ones (``axis``,
``keepdims``).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TypeAlias

from attncheck.algebra.facts import Facts
from attncheck.algebra.shape import Shape, close, expand
from attncheck.algebra.size import Size
from attncheck.operators.events import Outcome
from attncheck.record import replace
from attncheck.values.tensor import Evidence, Tensor
from attncheck.values.value import (
    UNKNOWN,
    Const,
    Int,
    Packed,
    Parameter,
    Sequence,
    Value,
    as_integer,
    as_size,
    as_tensor,
)

#: The libraries whose functions follow NumPy's rules where the libraries' rules differ.
LIKE_NUMPY = frozenset(["numpy", "jax", "tensorflow"])


@dataclass(slots=True)
class Call:
    """Arguments of one operator call.

    ``arguments`` holds what the program passed and what the framework table fixes; a parameter that
    was left out is absent. ``library`` is the framework that spelled the call; ``serial`` is the
    number of the operation in its graph, under which a softmax marks the axis it normalises.
    """

    facts: Facts
    arguments: dict[str, Value]
    library: str
    spelling: str
    serial: int = 0

    @property
    def like_numpy(self) -> bool:
        """Whether the call follows NumPy's rules, as those of ``jax.numpy`` do."""
        return self.library in LIKE_NUMPY

    def value(self, name: str) -> Value | None:
        """The argument, or None if it was left out or is the constant None."""
        value = self.arguments.get(name)
        if type(value) is Const and value.value is None:
            return None
        return value

    def given(self, name: str) -> bool:
        """Whether the program passed the argument and it is not None."""
        return self.value(name) is not None

    def tensor(self, name: str) -> Tensor | None:
        """The argument as a tensor, its shape expanded; None if it is not one."""
        value = self.arguments.get(name)
        tensor = None if value is None else as_tensor(value)
        if tensor is None or tensor.shape is None:
            return tensor
        shape = expand(tensor.shape, self.facts)
        return tensor if shape is tensor.shape else tensor.with_shape(shape)

    def shape(self, name: str) -> Shape | None:
        """The shape of a tensor argument, or None."""
        tensor = self.tensor(name)
        return None if tensor is None else tensor.shape

    def tensors(self, name: str) -> list[Tensor | None] | None:
        """A list or tuple of tensors, or None if its items are not known one by one."""
        value = self.arguments.get(name)
        if type(value) is not Sequence or value.items is None:
            return None
        return [Call(self.facts, {"x": item}, "", "").tensor("x") for item in value.items]

    def size(self, name: str) -> Size | None:
        """An integer argument as a size (resolved), or None if unknown or left out."""
        value = self.arguments.get(name)
        size = None if value is None else as_size(value)
        return None if size is None else self.facts.resolve(size)

    def sizes(self, name: str) -> list[Size | None] | None:
        """A tuple of integers (or one integer) as sizes; None if not even its length is known.

        An unseen parameter may be a number or a tuple of any length, so it gives None. One in a
        tuple is a number, and wherever it is used as a tensor it has no axes.
        """
        value = self.value(name)
        if type(value) is Int:
            items: Iterable[Value] = (value,)
        elif type(value) is Sequence and value.items is not None:
            items = value.items
        else:
            return None
        for item in items:
            if type(item) is Parameter and item.tensor.shape is not None:
                close(item.tensor.shape, 0, self.facts)
        found = [as_size(item) for item in items]
        return [None if size is None else self.facts.resolve(size) for size in found]

    def integer(self, name: str) -> int | None:
        """A literal integer argument, or None."""
        value = self.arguments.get(name)
        return None if value is None else as_integer(value)

    def integers(self, name: str) -> tuple[int, ...] | None:
        """One literal integer or a tuple of them; None if left out or any is unknown."""
        value = self.value(name)
        if value is None:
            return None
        items = value.items if type(value) is Sequence else (value,)
        if items is None:
            return None
        numbers = [as_integer(item) for item in items]
        return None if None in numbers else tuple(n for n in numbers if n is not None)

    def flag(self, name: str, default: bool = False) -> bool | None:
        """A bool argument; `default` if left out, None if unknown."""
        value = self.arguments.get(name)
        if value is None:
            return default
        if type(value) is Const and isinstance(value.value, bool):
            return value.value
        number = as_integer(value)
        return None if number is None else bool(number)

    def text(self, name: str) -> str | None:
        """A string argument, or None."""
        value = self.arguments.get(name)
        if type(value) is Const and isinstance(value.value, str):
            return value.value
        return None

    def of_library(self, name: str) -> Call:
        """The same call, of the library whose tensors the argument holds.

        It is for functions that take tensors of any library and give back that library's.
        """
        given = (as_tensor(item) for item in _flat(self.arguments.get(name, UNKNOWN)))
        known = (tensor.library for tensor in given if tensor is not None)
        return replace(self, library=next((library for library in known if library), ""))

    def evidence(self) -> Evidence:
        """The weakest evidence among the tensors of the call: what a result rests on."""
        weakest = Evidence.CODE
        for value in self.arguments.values():
            for item in (value,) if type(value) is Tensor else _flat(value):
                tensor = as_tensor(item)
                if tensor is not None and tensor.evidence > weakest:
                    weakest = tensor.evidence
        return weakest

    def make(self, shape: Shape | None, dtype: str | None = None) -> Tensor:
        """A result tensor: of this call's library, resting on this call's evidence."""
        return Tensor(shape, self.library, dtype, evidence=self.evidence())

    def unknown(self) -> Outcome:
        """The outcome of a call of which not even the kind of result is known."""
        return Outcome(UNKNOWN)


def _flat(value: Value) -> Iterable[Value]:
    if type(value) is Packed:
        return (value.data,)
    return value.items if type(value) is Sequence and value.items is not None else (value,)


#: An operator: shape semantics under a neutral name.
Operator: TypeAlias = Callable[[Call], Outcome]


def normalise_axis(axis: int, rank: int) -> int | None:
    """`axis` counted from 0, or None if it is out of range for `rank` axes."""
    if -rank <= axis < rank:
        return axis % rank if rank else None
    return None
