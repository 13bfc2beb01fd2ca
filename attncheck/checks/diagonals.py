"""A letter that stands twice in one operand of an einsum: of a learned weight the diagonal alone.

``einsum("bqd,dd,bkd->bqk", q, W, k)`` was to be the score ``q W k``. Two axes with one letter are
walked in step, so of d * d weights the d on the diagonal are used: the score is ``sum_d q_d W_dd
k_d``, and the rest of W is never trained. Nothing raises, for a square weight fits the letters.
Rule: numpy.einsum, "repeated subscript labels in one operand take the diagonal"; torch.einsum.

The diagonal of a matrix that some axis has squared (an adjacency, a covariance) may well be meant,
and alone ``ii->i`` says so; a weight of which only the diagonal is wanted is made as a vector. So
it is told of what is learned, or drawn as weights are: by the constructor of an object, or scaled
by a number, or as the one matrix between two vectors.
"""

from __future__ import annotations

from collections.abc import Iterator

from attncheck.attention import LEARNED
from attncheck.checks.report import Culprit, Report
from attncheck.checks.view import View
from attncheck.graph import Operation
from attncheck.operators.events import MOVES, Creation, Einsum, Elementwise, Event
from attncheck.operators.patterns import DOTS
from attncheck.record import record
from attncheck.rule import Rule
from attncheck.values.tensor import Tensor

_MOST_STEPS = 12
#: What gives the numbers of one tensor: moved, scaled, cast, two of them as one.
_PASSING: tuple[type[Event], ...] = (*MOVES, Elementwise)
_CASTS = frozenset({"identity", "contiguous", "from_pairs", "new_array", "array"})
_RANDOM = ("rand", "normal", "uniform", "truncated_normal", "standard_normal")


@record
class Diagonal:
    """A letter that stands twice in an operand, by number, of an einsum."""

    operand: int
    letter: str


def of_weights(rule: Rule, operation: Operation, view: View) -> Iterator[Report]:
    """A report of an einsum that takes nothing but the diagonal of a weight."""
    found = view.remembered(diagonal, operation)
    if found is None:
        return
    operand, tensor = list(operation.tensors())[found.operand]
    assert operand.node is not None
    weight = view.quote(operand.node)
    yield Report(
        rule,
        operation,
        operation.node,
        f"`{view.quote(operation.node)}` calls two axes of `{weight}` {found.letter}: a letter that"
        " stands twice in an operand takes its diagonal, so that nothing else of"
        f" {view.text(tensor)} is used",
        Culprit(operand.node, tensor, view.code(operand.node)),
        view.sizes(tensor),
        "a letter of its own for each axis, one of which the other operand, or the result, has too",
    )


def diagonal(operation: Operation, view: View) -> Diagonal | None:
    """The letter that makes an einsum take the diagonal of a weight; None if there is none."""
    event, tensors = operation.event, list(operation.tensors())
    if not isinstance(event, Einsum) or operation.clash is not None:
        return None
    if len(event.inputs) < 2 or len(tensors) != len(event.inputs):
        return None
    for number, (letters, (operand, tensor)) in enumerate(zip(event.inputs, tensors, strict=True)):
        twice = {each for each in letters if letters.count(each) == 2 and each != DOTS}
        others = [each for i, each in enumerate(event.inputs) if i != number]
        for letter in twice if operand.node is not None else ():
            beside = sum(letter in each for each in others)
            between = beside > 1 and letter not in event.output
            if beside and _is_weight(tensor, view, between=between):
                return Diagonal(number, letter)
    return None


def _is_weight(tensor: Tensor, view: View, *, between: bool) -> bool:
    """Whether a tensor is learned, or drawn as weights are; `between` two vectors, drawn at all."""
    making = None if view.making is None else view.making.graph
    scaled = between
    for _ in range(_MOST_STEPS):
        if tensor.role in LEARNED:
            return True
        made = view.graph.maker(tensor)
        if made is None and making is not None:
            made = making.maker(tensor)
            scaled = scaled or made is not None
        if made is None:
            return False
        if isinstance(made.event, Creation):
            return scaled and made.spelling.rpartition(".")[2].startswith(_RANDOM)
        sources = [source for _, source in made.tensors()]
        if len(sources) != 1 or not (isinstance(made.event, _PASSING) or made.kind in _CASTS):
            return False
        scaled = scaled or made.kind in ("multiply", "divide")
        (tensor,) = sources
    return False
