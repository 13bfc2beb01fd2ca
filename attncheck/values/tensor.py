"""Tensors as the tracer sees them: a shape, and how surely and from where it is known."""

from __future__ import annotations

import enum
from collections.abc import Iterable
from typing import Final

from attncheck.algebra.shape import Shape
from attncheck.record import record, replace


class Evidence(enum.IntEnum):
    """How a shape is known, strongest first (SPEC section 2)."""

    DECLARED = 1
    ANNOTATED = 2
    CODE = 3
    FORCED = 4
    PROSE = 5
    NAME = 6

    @property
    def word(self) -> str:
        """The word that findings use for it (``decided_at.by``)."""
        return _WORDS[self]


_WORDS = {
    Evidence.DECLARED: "declaration",
    Evidence.ANNOTATED: "annotation",
    Evidence.CODE: "code",
    Evidence.FORCED: "operation",
    Evidence.PROSE: "docstring",
    Evidence.NAME: "role",
}


@record
class Decided:
    """Where a tensor's shape was decided: the line (from 1), by what, and in words."""

    line: int
    by: str
    text: str


#: The dtypes of what can be counted with.
NUMERIC: Final = frozenset({"float", "int", "number"})
#: What a tensor of several dtypes has: that of them which holds all others.
_WIDEST: Final = ("float", "number", "int", "bool")


def number_of(left: str | None, right: str | None) -> str | None:
    """The dtype of what is one of two: that of both, or a number of either kind."""
    if left == right:
        return left
    return "number" if left in NUMERIC and right in NUMERIC else None


def widest(dtypes: Iterable[str | None]) -> str | None:
    """The dtype in which elements of all these are put together."""
    found = set(dtypes)
    return None if None in found else next((kind for kind in _WIDEST if kind in found), None)


@record
class Tensor:
    """An array of a known, partly known or unknown shape.

    ``library`` is ``"numpy"`` or ``"torch"`` where that is known; ``dtype`` one of ``"float"``,
    ``"int"``, ``"bool"`` and ``"number"``, which is either of the first two; ``role`` the part the
    dimension table gives it (``"query"``, ``"weight"``). ``operation`` is the number of the
    operation that made it, in its trace's graph.
    ``optional`` says that it may also be None. Where branches have made it, ``operation`` is None
    and ``either`` has the operation of each branch (None for what no operation made).
    """

    shape: Shape | None
    library: str | None = None
    dtype: str | None = None
    role: str | None = None
    evidence: Evidence = Evidence.CODE
    decided: Decided | None = None
    operation: int | None = None
    optional: bool = False
    either: tuple[int | None, ...] = ()

    @property
    def made_by(self) -> frozenset[int | None]:
        """The operations that may have made it; None among them if it may come from outside."""
        return frozenset(self.either or (self.operation,))

    def with_shape(self, shape: Shape | None) -> Tensor:
        """The same tensor with another shape."""
        return replace(self, shape=shape)


UNKNOWN_TENSOR = Tensor(None)
