"""What an operation means, whatever library spelled it: the records that rules read.

An operator gives a value, an event that says what was done to the axes, and, where it cannot work,
a `Clash` that says which sizes contradict each other. A clash is data, never an exception.
"""

from __future__ import annotations

import enum
from typing import Final, TypeAlias

from attncheck.algebra.broadcast import Broadcast
from attncheck.algebra.contract import Contracted
from attncheck.algebra.facts import Verdict
from attncheck.algebra.reshape import Reshaped
from attncheck.algebra.shape import Axis
from attncheck.algebra.size import Size
from attncheck.record import record
from attncheck.values.value import Value


class Fault(enum.Enum):
    """The kinds of contradiction."""

    CONTRACTION = "contraction"
    BROADCAST = "broadcast"
    #: another number of axes than the operation takes
    RANK = "rank"
    #: an axis number out of range, or one given twice
    AXIS = "axis"
    #: element counts differ
    COUNT = "count"
    JOIN = "join"
    EINSUM = "einsum"
    #: a size that does not divide, or parts that do not add up
    SPLIT = "split"
    #: a layer's declared size is not its input's
    FEATURES = "features"
    #: operands of a layer that must agree in a size do not: a state's batch, a mask's positions
    AGREEMENT = "agreement"
    #: a guard of the program itself that no sizes pass
    GUARD = "guard"


@record
class Clash:
    """Why an operation cannot work.

    ``text`` continues the sentence "this operation ...": ``contracts d_h with d_attn``. ``operand``
    is the operand (from 0) that the operation itself would blame, ``left`` and ``right`` the sizes
    in contradiction, where it is about two sizes; ``verdict`` whether their difference is proved or
    only named by the table.
    """

    fault: Fault
    text: str
    operand: int = 0
    left: Size | None = None
    right: Size | None = None
    verdict: Verdict = Verdict.DIFFERENT


#: The operators that give the same elements again, copied or cast.
COPYING: Final = frozenset({"identity", "array", "contiguous", "new_array"})
#: The symbols of elementwise comparisons.
COMPARISONS: Final = frozenset({"==", "!=", "<", "<=", ">", ">="})


@record
class Elementwise:
    """Corresponding elements combined; ``symbol`` is ``"+"``, ``"*"``, ``"where"``, ``"=="`` ...

    ``along`` is the axis (counted as in `Reduction`) along which a running sum runs, or that of the
    vectors that are divided by their norm.
    """

    symbol: str
    broadcast: Broadcast | None
    along: int | None = None


@record
class Contraction:
    """A product that sums over pairs of axes (positions in each operand)."""

    style: str
    left_axes: tuple[int, ...]
    right_axes: tuple[int, ...]
    pairs: tuple[Contracted, ...]
    #: where each operand's axes went in the output: position, or None if summed
    left_to: tuple[int | None, ...] = ()
    right_to: tuple[int | None, ...] = ()
    batch: Broadcast | None = None


@record
class Einsum:
    """An einsum of any number of operands: each one's letters, and the output's.

    ``met`` are the axes of two operands that one letter made equal, as they were before.
    """

    inputs: tuple[tuple[str, ...], ...]
    output: tuple[str, ...]
    axes: tuple[tuple[str, Axis], ...]
    met: tuple[tuple[str, Axis, Axis], ...] = ()


@record
class Reduction:
    """Axes summed (or averaged, maximised ...) away; ``axes`` None means all of them.

    Axes are counted from 0; those of an open shape of which only the end is known from -1 down.
    """

    kind: str
    axes: tuple[int, ...] | None
    keepdims: bool


@record
class Softmax:
    """A softmax over ``axis`` (counted as in `Reduction`; None: unknown), or its logarithm.

    ``implicit`` says that the program named no axis.
    """

    axis: int | None
    log: bool = False
    implicit: bool = False


@record
class Attention:
    """A library's attention: ``query`` is the axis of query positions, ``key`` that of keys.

    ``features`` pairs the sizes of query and key vectors, ``positions`` the key positions with the
    value positions; ``mask`` broadcasts the scores against the mask. ``heads`` is the number of
    heads, where the layer splits them itself. ``batch`` is how the leading axes of the query meet
    those of the key, and theirs those of the value, where they have to be equal.
    """

    query: Axis
    key: Axis
    features: Contracted
    positions: Contracted
    mask: Broadcast | None
    heads: Size | None = None
    batch: tuple[Broadcast | None, ...] = ()


@record
class Recurrence:
    """A recurrent layer run over the ``time`` axis of its input, or a ``cell`` doing one step.

    ``kind`` is ``"rnn"``, ``"lstm"`` or ``"gru"``. ``time`` and ``batch`` number the input's axes
    that the layer takes as such, also of an open shape: None where there is none, where it is not
    known, and in a ``packed`` input.
    """

    kind: str
    time: int | None
    batch: int | None
    cell: bool = False
    packed: bool = False


@record
class Permutation:
    """Axes reordered: output axis i was input axis ``order[i]``."""

    order: tuple[int, ...]
    spelling: str


@record
class Reshaping:
    """A view or reshape."""

    outcome: Reshaped
    spelling: str


@record
class Rearranging:
    """Axes split, reordered and merged by one pattern.

    ``splits`` is what became of the axes that were split; ``sources`` are, for each axis of the
    result, the axes of the tensor whose elements it holds, outermost first (None: not known).
    """

    splits: tuple[Reshaped, ...]
    sources: tuple[tuple[int, ...], ...] | None


@record
class Squeeze:
    """Axes of size 1 removed; ``bare`` if no axis was named; ``risky`` those it may remove."""

    axes: tuple[int, ...]
    bare: bool
    risky: tuple[int, ...] = ()


@record
class NewAxis:
    """Axes of size 1 put in, at these output positions."""

    axes: tuple[int, ...]


@record
class Expansion:
    """Axes repeated: ``expand``, ``broadcast_to``, ``repeat``, ``tile``, ``repeat_interleave``.

    ``count`` is how often, where that is one axis only; ``outside`` whether the whole axis is
    repeated (tiled) or each of its elements in its place; None where no axis is merged with copies.
    """

    kind: str
    count: Size | None = None
    outside: bool | None = None


@record
class Joining:
    """Tensors joined along an old axis (``cat``) or a new one (``stack``)."""

    kind: str
    axis: int | None


@record
class Selection:
    """An index expression or a split.

    ``kept[i]`` is the input axis that output axis i is, or a part of; None for a new one.
    """

    kept: tuple[int | None, ...]


@record
class Triangle:
    """``kind`` ``"tril"`` or ``"triu"``; ``diagonal`` the first one kept (None: not known)."""

    kind: str
    diagonal: int | None


@record
class Loss:
    """A loss over a prediction and a target, or how alike two tensors are.

    ``axis`` is the axis (counted as in `Reduction`) of the vectors of which it is told how alike
    they are.
    """

    kind: str
    broadcast: Broadcast | None
    axis: int | None = None


@record
class Creation:
    """A tensor made from sizes."""

    kind: str


Event: TypeAlias = (
    Elementwise
    | Contraction
    | Einsum
    | Reduction
    | Softmax
    | Attention
    | Recurrence
    | Permutation
    | Reshaping
    | Rearranging
    | Squeeze
    | NewAxis
    | Expansion
    | Joining
    | Selection
    | Triangle
    | Loss
    | Creation
)


#: Events that leave elements as they are, in other places or with some of them left out.
MOVES: tuple[type[Event], ...] = (
    Permutation,
    Reshaping,
    Rearranging,
    Squeeze,
    NewAxis,
    Selection,
)


@record
class Outcome:
    """What an operator gives."""

    value: Value
    event: Event | None = None
    clash: Clash | None = None
