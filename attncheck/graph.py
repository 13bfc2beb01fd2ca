"""The graph of tensor operations that a trace records: what checks and repairs read.

An `Operation` knows what was done (its event), to what (its operands, each with the expression it
was written as), what came out, where, and whether it can work at all (its clash). Operations are
numbered in the order in which they were traced; a tensor names the operation that made it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from attncheck.operators.events import Clash, Event
from attncheck.values.tensor import Tensor
from attncheck.values.value import Value

if TYPE_CHECKING:
    import libcst as cst


@dataclass(frozen=True, slots=True)
class Operand:
    """One operand: the value, its parameter name in the operator, and how it was written."""

    name: str
    value: Value
    node: cst.CSTNode | None


@dataclass(frozen=True, slots=True)
class Caller:
    """A call on the way to an operation: the expression, and the function it stands in."""

    node: cst.CSTNode
    function: str


@dataclass(frozen=True, slots=True)
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

    def tensors(self) -> Iterator[tuple[Operand, Tensor]]:
        """The operands that are tensors."""
        for operand in self.operands:
            if isinstance(operand.value, Tensor):
                yield operand, operand.value


@dataclass(slots=True)
class Graph:
    """The operations of one trace, in order.

    ``by_name`` says that the trace rests on a hypothesis about the parameters' names.
    """

    operations: list[Operation] = field(default_factory=list)
    by_name: bool = False

    def add(self, operation: Operation) -> None:
        """Append an operation; its number must be its position."""
        assert operation.number == len(self.operations)
        self.operations.append(operation)

    def maker(self, tensor: Tensor) -> Operation | None:
        """The operation that made `tensor`, or None for parameters and unknown values."""
        return None if tensor.operation is None else self.operations[tensor.operation]

    def clashes(self) -> list[Operation]:
        """The operations that cannot work."""
        return [operation for operation in self.operations if operation.clash is not None]
