"""What a rule reports, before a fix is looked for: the diagnosis of one operation.

The words and shapes of the four parts are here; candidate fixes come from `attncheck.repair`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from attncheck.algebra.facts import Facts, Verdict
from attncheck.algebra.shape import Shape
from attncheck.algebra.size import ONE, Size
from attncheck.graph import Operation
from attncheck.record import record
from attncheck.rule import Rule
from attncheck.values.tensor import Tensor

if TYPE_CHECKING:
    import libcst as cst

    from attncheck.checks.constructed import Declared

Sizes: TypeAlias = tuple[Size | None, ...]


@record
class Culprit:
    """The tensor that is wrong, and the expression that names it."""

    node: cst.CSTNode
    tensor: Tensor
    #: what it is called, where no expression of the program does
    name: str | None = None


@dataclass(slots=True)
class Report:
    """One diagnosis.

    ``hidden`` says while which sizes coincide the code runs all the same; ``axis`` is the axis that
    the operation should name, where the mistake is a wrong or a missing axis; ``claim`` what a
    comment says and what it should say; ``lacking`` a call and the argument that it is not given.
    """

    rule: Rule
    operation: Operation
    node: cst.CSTNode
    message: str
    culprit: Culprit | None = None
    expected: Sizes | None = None
    derivation: str = ""
    hidden: str = ""
    axis: int | None = None
    claim: tuple[str, str] | None = None
    #: the function that the node stands in, if it is not the operation's
    function: str | None = None
    #: whether the report rests on what something is called, or on what a paper wants
    named: bool = False
    #: the argument of a layer's constructor that is to blame, and what it should be
    resized: tuple[Declared, Size] | None = None
    lacking: tuple[cst.Call, str] | None = None
    #: places in an index, or arguments, that have to change places
    moved: tuple[int, int] | None = None
    #: the constructor of a layer that is to be made otherwise: every call of it is concerned
    layer: cst.CSTNode | None = None
    #: whether an argument is to blame that a call has passed on to where the operation stands
    passed: bool = False
    #: whether all that it rests on stands in one run of one function, whoever has called it
    local: bool = False
    #: whether words are all that it rests on, a name's or a docstring's: what callers give decides
    worded: bool = False
    #: whether what the operation gives has another rank than it should: what is found in it later
    #: is no mistake of its own
    spoils: bool = False

    @property
    def culprit_node(self) -> cst.CSTNode | None:
        """The expression that names the tensor to blame."""
        return None if self.culprit is None else self.culprit.node

    @property
    def place(self) -> str:
        """The qualified name of the function that the report is about."""
        return self.operation.place.function if self.function is None else self.function


def sizes_of(shape: Shape | None) -> Sizes | None:
    """The sizes of a closed shape, else None."""
    return None if shape is None or not shape.closed else shape.sizes()


def text_of(sizes: Sizes | None) -> str:
    """Sizes as a person writes a shape: ``(T_enc, d_h)``, ``(T_enc,)``, ``?`` where unknown."""
    if sizes is None:
        return "?"
    names = ["?" if size is None else str(size) for size in sizes]
    return f"({names[0]},)" if len(names) == 1 else f"({', '.join(names)})"


def hidden_while(operation: Operation, facts: Facts | None = None) -> str:
    """When the mistake cannot be seen: the two sizes that are equal by chance, or nothing."""
    clash = operation.clash
    if clash is None or clash.verdict is not Verdict.DISTINCT:
        return ""
    if facts is not None and clash.left is not None and clash.right is not None:
        parts = facts.parts_of_one(clash.left, clash.right)
        if parts is not None:
            return f"hidden while {parts.name} == 1"
    one, other = clash.left, clash.right
    if one is not None and one.number is not None:
        one, other = other, one
    if one is not None and other is not None:
        times = one.divided_by(other) or other.divided_by(one)
        one, other = (one, other) if times is None else (times, ONE)
    return f"hidden while {one} == {other}"
