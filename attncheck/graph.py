"""The graph of tensor operations that a trace records: what checks and repairs read.

An `Operation` knows what was done (its event), to what (its operands, each with the expression it
was written as), what came out, where, and whether it can work at all (its clash). Operations are
numbered in the order in which they were traced; a tensor names the operation that made it.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from attncheck.algebra.shape import Shape
from attncheck.algebra.size import Symbol
from attncheck.evidence.identifiers import spoken
from attncheck.operators.events import Clash, Event
from attncheck.record import record, replace
from attncheck.values.tensor import Tensor
from attncheck.values.value import Value

if TYPE_CHECKING:
    import libcst as cst


@record
class Operand:
    """One operand: the value, its parameter name in the operator, and how it was written.

    ``word`` is what it is called where the expression itself is in another file.
    """

    name: str
    value: Value
    node: cst.CSTNode | None
    word: str | None = None


@record
class Caller:
    """A call on the way to an operation, in the checked file: the expression, and where it is.

    ``given`` are the arguments by the names of the parameters.
    """

    node: cst.CSTNode
    place: Place
    given: Mapping[str, Value] = field(default_factory=dict, compare=False)

    @property
    def function(self) -> str:
        """The function that the call stands in."""
        return self.place.function


@record
class Carried:
    """What a loop carries on under a name, where that has another rank than it ``began`` with.

    ``tensor`` is what the first round has made of it.
    """

    name: str
    began: Shape
    tensor: Tensor


@record
class Place:
    """The function that an operation was traced in, and the calls that led there."""

    function: str
    node: cst.CSTNode | None
    #: the calls on the way from the traced root, outermost first
    calls: tuple[Caller, ...] = ()


@dataclass(slots=True, eq=False)
class Operation:
    """One traced tensor operation."""

    number: int
    #: the neutral operator name: ``matmul``, ``softmax``
    kind: str
    spelling: str
    operands: tuple[Operand, ...]
    output: Value
    node: cst.CSTNode
    #: the statement that the expression stands in
    statement: cst.CSTNode | None
    place: Place
    event: Event | None
    clash: Clash | None
    #: in how many branches it stands of which it is not known that they are taken: of a function
    #: that the traced root calls, if it is in one
    supposed: int = 0
    #: whether it is one of several that may be meant, and cannot be the one that is
    dismissed: bool = False
    #: whether it is one of several that may be meant
    alternative: bool = False
    #: whether it ran in another file: `node` is then the call in the checked file that led there
    elsewhere: bool = False
    #: the sizes that were open until it needed them to be others
    bound: frozenset[Symbol] = frozenset()
    #: what the second round of a loop begins with that the first one did not: it fails in that one
    carried: tuple[Carried, ...] = ()
    _pairs: tuple[tuple[Operand, Tensor], ...] | None = field(default=None, init=False)
    _read: frozenset[int | None] | None = field(default=None, init=False)

    def seen_from_call(self) -> None:
        """Tell an operation of another file as a part of the call that led there.

        Nothing in a graph stands in another file; only what runs without any call (while an object
        is made of a class whose ``__init__`` is elsewhere) keeps its place, and is in no graph that
        is shown.
        """
        self.elsewhere = True
        self.statement = None
        self._pairs = None
        self.operands = tuple(
            replace(operand, node=None, word=spoken(operand.node)) for operand in self.operands
        )
        if self.place.calls:
            caller = self.place.calls[-1]
            self.node, self.place = caller.node, caller.place

    def uses(self, other: Operation) -> bool:
        """Whether one of the operands is what `other` gave."""
        return other.number in self.read

    @property
    def read(self) -> frozenset[int | None]:
        """The operations that may have made an operand; None among them for one from outside."""
        if self._read is None:
            self._read = frozenset().union(*(tensor.made_by for _, tensor in self.tensors()))
        return self._read

    @property
    def source(self) -> Tensor | None:
        """The first operand that is a tensor: what is indexed, reshaped, run over."""
        return next((tensor for _, tensor in self.tensors()), None)

    def tensors(self) -> Iterator[tuple[Operand, Tensor]]:
        """The operands that are tensors: not what says where, or of what numbers, to make one."""
        if self._pairs is None:
            self._pairs = tuple(
                (operand, operand.value)
                for operand in self.operands
                if isinstance(operand.value, Tensor) and operand.name not in _SETTINGS
            )
        return iter(self._pairs)


#: Arguments of an unseen caller that are no tensors, whatever is known of them.
_SETTINGS = frozenset({"device", "dtype"})
#: Numbers between the first operations of two graphs; no trace has as many operations.
_APART = 1_000_000
_graphs = itertools.count(1)


class Graph:
    """The operations of one trace, in order.

    Numbers are unique over all graphs: a tensor that another trace made (an attribute of an object
    built elsewhere) has no maker here. ``by_name`` says that the trace rests on a hypothesis about
    the parameters' names.
    """

    __slots__ = ("_first", "by_name", "operations")

    def __init__(self) -> None:
        self.operations: list[Operation] = []
        self.by_name = False
        self._first = next(_graphs) * _APART

    @property
    def next_number(self) -> int:
        """The number of the operation that is added next."""
        return self._first + len(self.operations)

    def add(self, operation: Operation) -> None:
        """Append an operation, which must have the next number."""
        assert operation.number == self.next_number
        self.operations.append(operation)

    def maker(self, tensor: Tensor) -> Operation | None:
        """The operation of this graph that made `tensor`, or None."""
        number = tensor.operation
        return None if number is None else self._numbered(number)

    def born(self, root: str) -> Operation | None:
        """The operation of this graph that an axis was born in, by the root of its tag; or None."""
        number = root.removeprefix("#")
        return self._numbered(int(number)) if number != root and number.isdigit() else None

    def _numbered(self, number: int | None) -> Operation | None:
        if number is None:
            return None
        index = number - self._first
        return self.operations[index] if 0 <= index < len(self.operations) else None

    def after(self, operation: Operation) -> Iterator[Operation]:
        """The operations that follow one, which is of this graph."""
        return itertools.islice(self.operations, operation.number - self._first + 1, None)

    def users(self, operation: Operation) -> Iterator[Operation]:
        """The operations that read what one of this graph gave, in order."""
        return (later for later in self.after(operation) if operation.number in later.read)

    def derived(
        self, *origins: Operation, until: tuple[type[Event], ...] = ()
    ) -> Iterator[Operation]:
        """The operations that read what these gave, or what such operations gave, in order.

        Those with an event of `until` are the last on their way.
        """
        if not origins:
            return
        made = {origin.number for origin in origins}
        for later in self.after(min(origins, key=lambda origin: origin.number)):
            if not later.read.isdisjoint(made):
                if not isinstance(later.event, until):
                    made.add(later.number)
                yield later

    def makers(self, tensor: Tensor) -> list[Operation | None]:
        """The operations that may have made `tensor`, one a branch; None where none has."""
        if not tensor.either:
            return [self.maker(tensor)]
        return [self._numbered(number) for number in tensor.either]

    def known_makers(self, tensor: Tensor) -> list[Operation]:
        """The operations of this graph of which any may have made `tensor`, in order."""
        return [made for made in self.makers(tensor) if made is not None]

    def comes_in(self, tensor: Tensor) -> bool:
        """Whether a tensor may come from outside this graph."""
        return None in self.makers(tensor)

    def has(self, operation: Operation) -> bool:
        """Whether an operation is one of this graph."""
        return 0 <= operation.number - self._first < len(self.operations)

    def clashes(self) -> list[Operation]:
        """The operations that cannot work."""
        return [operation for operation in self.operations if operation.clash is not None]
