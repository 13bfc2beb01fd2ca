"""Where masks enter scores: filled in, chosen by, multiplied or added, on the way to softmax."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from attncheck.attention import Site, behind
from attncheck.checks.masks import is_mask, rests_on_mask
from attncheck.checks.view import View
from attncheck.graph import Graph, Operand, Operation
from attncheck.meaning.positions import MOVING
from attncheck.operators.events import (
    MOVES,
    Contraction,
    Einsum,
    Elementwise,
    Event,
    Expansion,
    Reduction,
)
from attncheck.record import record
from attncheck.table import Role, role_of
from attncheck.values.tensor import Tensor
from attncheck.values.value import as_tensor

_PRODUCTS: tuple[type[Event], ...] = (Contraction, Einsum)
#: Elementwise steps on scores that leave a 0 among them a 0.
_KEEPING = frozenset({"dropout", "positive", "nan_to_num"})
_MASKING = frozenset({"*", "masked_fill", "where"})
_MOST_STEPS = 60


@record
class Entry:
    """A mask that is put on scores.

    ``how`` is ``"fill"``, ``"choice"``, ``"product"`` or ``"sum"``; ``mask`` and ``scores`` are the
    two operands, ``put`` what stands where scores are hidden, ``number`` that number if it is
    known. ``certain`` says that it is a mask for what it holds, and not by its name; ``plain`` that
    the scores are only moved, scaled and shifted as a whole from there to softmax, ``moved`` that
    their axes may have changed places.
    """

    operation: Operation
    how: str
    mask: Operand
    scores: Operand
    certain: bool
    plain: bool = True
    moved: bool = False
    put: Operand | None = None
    number: float | None = None

    @property
    def mask_tensor(self) -> Tensor:
        """The mask."""
        tensor = as_tensor(self.mask.value)
        assert tensor is not None
        return tensor


def entries(site: Site, view: View) -> Iterator[Entry]:
    """The masks that enter a site's scores between their product and softmax, the last one first.

    What is multiplied or added counts where it is a mask by what it holds, or by its name.
    """
    waiting, seen = [(site.scores_in, True, False)], set[int]()
    while waiting and len(seen) < _MOST_STEPS:
        tensor, plain, moved = waiting.pop(0)
        for made in view.graph.known_makers(tensor):
            if made.number in seen or isinstance(made.event, _PRODUCTS):
                continue
            seen.add(made.number)
            entry = entry_of(made, view)
            if entry is not None:
                yield replace(entry, plain=plain, moved=moved)
            keeps = plain and (entry is not None or _keeps(made, view.graph))
            moves = moved or not isinstance(made.event, Elementwise | type(None))
            waiting += [(each, keeps, moves) for each in _scores_of(made, entry, view.graph)]


def _scores_of(made: Operation, entry: Entry | None, graph: Graph) -> list[Tensor]:
    """The operands that may be scores."""
    if entry is not None:
        scores = as_tensor(entry.scores.value)
        return [] if scores is None else [scores]
    return [tensor for _, tensor in made.tensors() if not is_mask(graph, tensor)]


def entry_of(made: Operation, view: View) -> Entry | None:
    """What an operation does as a mask put on scores, or None."""
    if not isinstance(made.event, Elementwise):
        return None
    finder = _FINDERS.get(made.event.symbol)
    return None if finder is None else finder(made, view)


def _fill(made: Operation, view: View) -> Entry | None:
    operands = {operand.name: operand for operand in made.operands}
    scores, mask, put = (operands.get(name) for name in ("x", "mask", "value"))
    if scores is None or mask is None or put is None or as_tensor(mask.value) is None:
        return None
    return Entry(made, "fill", mask, scores, True, put=put, number=_number(put, view))


def _choice(made: Operation, view: View) -> Entry | None:
    """``where(mask, scores, number)``, or with the two exchanged."""
    operands = {operand.name: operand for operand in made.operands}
    mask, x, y = (operands.get(name) for name in ("condition", "x", "y"))
    if mask is None or x is None or y is None or as_tensor(mask.value) is None:
        return None
    for scores, put in ((x, y), (y, x)):
        if _is_one_number(put, view) and not _is_one_number(scores, view):
            number = _number(put, view)
            return Entry(made, "choice", mask, scores, True, put=put, number=number)
    return None


def _is_one_number(operand: Operand, view: View) -> bool:
    """Whether an operand is the same number everywhere, known or not."""
    return as_tensor(operand.value) is None or _number(operand, view) is not None


def _number(operand: Operand, view: View) -> float | None:
    """The number that an operand is or that a tensor is filled with, or None."""
    mark = view.meanings.mark_of(operand)
    return mark.visible if mark is not None and mark.is_constant else None


def _combined(made: Operation, view: View) -> Entry | None:
    """Scores and a mask multiplied or added."""
    assert isinstance(made.event, Elementwise)
    tensors = [operand for operand, _ in made.tensors()]
    if _moves_alike(made, view.graph):
        return None
    how = "product" if made.event.symbol == "*" else "sum"
    holds = is_mask if how == "product" else rests_on_mask
    sure = [holds(view.graph, tensor) for _, tensor in made.tensors()]
    told = [is_named(operand, view, loosely=how == "sum") for operand in tensors]
    masks = sure if any(sure) else told
    if len(tensors) != 2 or masks.count(True) != 1:
        return None
    index = masks.index(True)
    return Entry(made, how, tensors[index], tensors[1 - index], any(sure))


_FINDERS = {
    "masked_fill": _fill,
    "where": _choice,
    "*": _combined,
    "+": _combined,
    "-": _combined,
}


def is_named(operand: Operand, view: View, *, loosely: bool = False) -> bool:
    """Whether an operand is a mask by its name; `loosely` also what else is put on scores."""
    tensor = as_tensor(operand.value)
    if tensor is None:
        return False
    if loosely:
        operand = _unscaled(operand, view.graph)
        tensor = as_tensor(operand.value)
        assert tensor is not None
    if not all(_passes(made) for made in behind(view.graph, tensor)):
        return False
    if loosely and tensor.role == Role.MASK:
        return True
    return role_of(view.base_name(operand.node) or "") is Role.MASK


def _unscaled(operand: Operand, graph: Graph) -> Operand:
    """The mask in ``-1e9 * (1 - mask)``: what is left without the numbers around it."""
    while True:
        tensor = as_tensor(operand.value)
        made = None if tensor is None else graph.maker(tensor)
        inside = [] if made is None else [each for each in made.operands if as_tensor(each.value)]
        if made is None or not isinstance(made.event, Elementwise) or len(inside) != 1:
            return operand
        (operand,) = inside


def _passes(made: Operation) -> bool:
    """Whether an operation only moves, copies or casts what comes in."""
    if made.event is None:
        return made.kind in ("identity", "contiguous") or made.kind in MOVING
    return isinstance(made.event, (*MOVES, Expansion))


def _moves_alike(made: Operation, graph: Graph) -> bool:
    """Whether an operation takes their largest from all scores of a row, as softmax does first."""
    tensors = [tensor for _, tensor in made.tensors()]
    if not isinstance(made.event, Elementwise) or made.event.symbol != "-" or len(tensors) != 2:
        return False
    return any(isinstance(maker.event, Reduction) for maker in graph.known_makers(tensors[1]))


def _keeps(made: Operation, graph: Graph) -> bool:
    """Whether an operation leaves a 0 among scores a 0, or moves all scores of a row alike."""
    event = made.event
    if event is None or isinstance(event, MOVES):
        return _passes(made)
    if not isinstance(event, Elementwise):
        return False
    if event.symbol in ("*", "/"):
        return bool(made.operands) and as_tensor(made.operands[0].value) is not None
    if _moves_alike(made, graph):
        return True
    return event.symbol in _KEEPING


def masked_again(site: Site, view: View) -> bool:
    """Whether weights are masked after softmax too, and may be divided by what is left.

    Then what softmax gave to hidden positions is taken back.
    """
    weights: set[int | None] = {site.softmax.number}
    for operation in view.graph.after(site.softmax):
        if operation.read.isdisjoint(weights):
            continue
        operands = list(operation.tensors())
        used = [bool(tensor.made_by & weights) for _, tensor in operands]
        if used.count(True) != 1:
            continue
        event = operation.event
        if isinstance(event, Elementwise) and event.symbol in _MASKING:
            others = [each for each, own in zip(operands, used, strict=True) if not own]
            if any(is_mask(view.graph, each) or is_named(named, view) for named, each in others):
                return True
        if isinstance(event, (*MOVES, Elementwise)) or event is None:
            weights.add(operation.number)
    return False
