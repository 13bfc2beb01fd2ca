"""``np.dot`` of two stacks of matrices: each matrix of one with each matrix of the other.

``np.matmul`` multiplies the matrices of two stacks pair by pair. ``np.dot`` sums over the last axis
of the one and the last but one of the other, and keeps all other axes of both: attention over
``(B, T, d)`` then scores each query against the keys of every sequence of the batch.
Rules: numpy.dot "Notes", "If a is an N-D array and b is an M-D array (where M>=2)"; jax.numpy.dot;
keras.backend.dot.

All pairs may be what is wanted. It is told where the stacks are one and the same stack (their
leading axes were born together, or are called by one name), where the product is that of an
attention, or something later cannot work with so many axes, and where nothing takes them as such.
"""

from __future__ import annotations

from collections.abc import Iterator

from attncheck.algebra.facts import Verdict
from attncheck.algebra.shape import Axis, Shape
from attncheck.checks.mask_places import are_one
from attncheck.checks.report import Culprit, Report, Sizes, text_of
from attncheck.checks.view import View
from attncheck.graph import Operation
from attncheck.operators.events import (
    Contraction,
    Einsum,
    Elementwise,
    Fault,
    Permutation,
    Reshaping,
    Selection,
    Softmax,
)
from attncheck.record import record
from attncheck.rule import Rule
from attncheck.values.tensor import Tensor
from attncheck.values.value import Sequence, Value, as_integer, as_tensor

#: Whose ``dot`` gives all pairs; Keras' ``ops.dot`` does what its backend does.
_ALL_PAIRS = ("numpy.", "jax.", "keras.backend.")
_MATRIX = 2
#: Operations that give as many axes, which go on being too many.
_KEEPING = (Elementwise, Softmax)
_KEPT_KINDS = frozenset({"identity", "contiguous"})
#: Operations that take what belongs together out of two axes.
_PICKING = frozenset({"diagonal", "trace"})
#: Contradictions that too many axes lead to.
_SPOILED = frozenset({Fault.RANK, Fault.AXIS, Fault.BROADCAST, Fault.COUNT, Fault.CONTRACTION})


@record
class Stacks:
    """A product of two stacks: the ranks of both, and the sizes that pair by pair would give."""

    left: int
    right: int
    wanted: Sizes


def over_stacks(rule: Rule, operation: Operation, view: View) -> Iterator[Report]:
    """A report of a dot that pairs every matrix of a stack with every one of the same stack."""
    found = view.remembered(stacked, operation)
    output = as_tensor(operation.output)
    if found is None or output is None:
        return
    given = [text_of(view.sizes(tensor)) for _, tensor in operation.tensors()]
    message = (
        f"`{view.quote(operation.node)}` multiplies each matrix of one stack with each matrix of"
        f" the other: {given[0]} and {given[1]} make {view.text(output)}; pair by pair (`matmul`)"
        f" they make {text_of(found.wanted)}"
    )
    yield Report(
        rule,
        operation,
        operation.node,
        message,
        Culprit(operation.node, output),
        found.wanted,
        "the leading axes once: they count the same matrices on both sides",
        spoils=True,
    )


def stacked(operation: Operation, view: View) -> Stacks | None:
    """The stacks that a dot multiplies all with all, if that cannot be meant; or None."""
    event = operation.event
    if not isinstance(event, Contraction) or event.style != "dot" or operation.clash is not None:
        return None
    shapes = [view.shape(tensor) for _, tensor in operation.tensors()]
    if not operation.spelling.startswith(_ALL_PAIRS) or len(shapes) != 2:
        return None
    left, right = shapes
    if left is None or right is None or not left.closed or not right.closed:
        return None
    leading = min(len(left.axes), len(right.axes)) - _MATRIX
    if leading < 1 or not _is_one_stack(left, right, leading, view):
        return None
    rank = max(len(left.axes), len(right.axes))
    if _takes_all(operation, rank, view) or not _goes_wrong(operation, view):
        return None
    rows, columns = left.axes[: len(right.axes) - 1], right.axes[-1:]
    return Stacks(len(left.axes), len(right.axes), tuple(each.size for each in rows + columns))


def _is_one_stack(left: Shape, right: Shape, leading: int, view: View) -> bool:
    """Whether the leading axes of both count the same matrices."""
    pairs = list(zip(left.axes[:leading], right.axes[:leading], strict=True))
    if any(one.is_one or other.is_one for one, other in pairs):
        return False
    if not any(_count_one(one, other, view) for one, other in pairs):
        return False
    return all(view.equal(one.size, other.size) for one, other in pairs)


def _count_one(left: Axis, right: Axis, view: View) -> bool:
    named = left.size is not None and left.size.number is None
    return are_one(left, right) or (named and view.equal(left.size, right.size))


# -- what becomes of it ----------------------------------------------------------------------------


def _goes_wrong(operation: Operation, view: View) -> bool:
    """Whether a product is the scores or the sum of an attention, or something fails behind it."""
    for site in view.sites:
        if site.scores is operation or any(each.operation is operation for each in site.sums):
            return True
    return any(
        later.clash is not None and later.clash.fault in _SPOILED
        for later in view.graph.derived(operation)
    )


def _takes_all(operation: Operation, rank: int, view: View) -> bool:
    """Whether something takes more axes of a product than a product of matrices would have."""
    made = same = {operation.number}
    for later in view.graph.after(operation):
        if later.read.isdisjoint(made):
            continue
        made = made | {later.number}
        if later.clash is not None or later.read.isdisjoint(same):
            continue
        beside = [tensor for _, tensor in later.tensors() if made.isdisjoint(tensor.made_by)]
        if _takes_more(later, rank) or any(_has_more(each, rank, view) for each in beside):
            return True
        if isinstance(later.event, _KEEPING) or later.kind in _KEPT_KINDS:
            same = same | {later.number}
    return False


def _takes_more(later: Operation, rank: int) -> bool:
    event = later.event
    if later.kind in _PICKING or any(axis >= rank for axis in _numbers(later, "axis")):
        return True
    if isinstance(event, Permutation):
        return len(event.order) > rank
    if isinstance(event, Reshaping):
        return event.outcome.count is Verdict.EQUAL and -1 not in _numbers(later, "sizes")
    if isinstance(event, Selection):
        key = _given(later, "key")
        arrays = len(list(later.tensors())) > 1
        return arrays or (type(key) is Sequence and len(key.items or ()) > rank)
    return isinstance(event, Einsum)


def _has_more(tensor: Tensor, rank: int, view: View) -> bool:
    shape = view.shape(tensor)
    return shape is not None and shape.closed and len(shape.axes) > rank


def _numbers(operation: Operation, name: str) -> list[int]:
    """The integers that an argument is, or holds."""
    value = _given(operation, name)
    items = value.items or () if type(value) is Sequence else (value,)
    return [number for item in items if item and (number := as_integer(item)) is not None]


def _given(operation: Operation, name: str) -> Value | None:
    return next((each.value for each in operation.operands if each.name == name), None)
