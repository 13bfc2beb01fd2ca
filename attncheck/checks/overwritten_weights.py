"""Weights of positions put at the words that stand there, by a scatter that does not add.

A pointer copies word w with all the weight that its positions have (See et al. 2017, "Get To The
Point", equation 9: a sum over the positions of w). ``scatter`` writes: of a word that stands in
several places one weight is left, whichever was written last (torch.Tensor.scatter_, "the behavior
is nondeterministic"), and the distribution no longer sums to one. Indices that occur once, as those
of ``topk`` and ``argsort`` do, lose nothing; that they are words is told by an embedding that reads
them too, or by the distribution over a vocabulary that the copied one is added to.
"""

from __future__ import annotations

from collections.abc import Iterator

from attncheck.attention import Site
from attncheck.checks.report import Culprit, Report
from attncheck.checks.view import View
from attncheck.graph import Operand, Operation
from attncheck.meaning.elements import operand_of
from attncheck.operators.events import COPYING, MOVES, Elementwise, Expansion, Joining, Softmax
from attncheck.rule import Rule
from attncheck.values.tensor import Tensor
from attncheck.values.value import as_integer, as_tensor

#: The spellings that write; others of the kind add, or say how they reduce.
_WRITING = ("scatter", "scatter_")
_MOST_STEPS = 40


def overwritten_weights(rule: Rule, view: View) -> Iterator[Report]:
    """The reports of weights that overwrite each other where a word is repeated."""
    for operation in view.graph.operations:
        if not view.remembered(overwrites, operation):
            continue
        into, tensor = next(operation.tensors())
        index = operand_of(operation, "index")
        node = into.node or operation.node
        words = "the index" if index is None else f"`{view.quote(index.node)}`"
        yield Report(
            rule,
            operation,
            operation.node,
            f"`{view.quote(operation.node)}` writes the weight of each position at its word: where"
            f" {words} has a word twice, one weight overwrites the other, and what is copied no"
            " longer sums to one; hidden while no word is repeated",
            Culprit(node, tensor),
            view.sizes(tensor),
            "the weights of all positions of a word added up (See et al. 2017, equation 9)",
        )


def overwrites(operation: Operation, view: View) -> bool | None:
    """Whether an operation scatters attention weights by words, and does not add them."""
    if operation.kind != "scatter" or operation.elsewhere or operation.clash is not None:
        return None
    spelled = operation.spelling.rpartition(".")[2]
    if spelled not in _WRITING or operand_of(operation, "reduce") is not None:
        return None
    into, index, weights = (_tensor(operand_of(operation, name)) for name in ("x", "index", "src"))
    if into is None or index is None or weights is None:
        return None
    mark = view.meanings.mark(into)
    if mark is None or not mark.is_constant or mark.visible != 0:
        return None
    site = _site(weights, view)
    if site is None or not _along_keys(operation, weights, site):
        return None
    return _are_words(index, view) or (
        view.graph.comes_in(_moved(index, view)) and _is_mixed(operation, into, site, view)
    )


def _tensor(operand: Operand | None) -> Tensor | None:
    return None if operand is None else as_tensor(operand.value)


def _site(weights: Tensor, view: View) -> Site | None:
    """The attention site that weights come from, scaled or moved at most."""
    softmaxes = {site.softmax.number: site for site in view.sites if site.sums}
    return next(
        (softmaxes[made.number] for made in _passed(weights, view) if made.number in softmaxes),
        None,
    )


def _passed(tensor: Tensor, view: View) -> Iterator[Operation]:
    """What a tensor comes from through elementwise steps, moves, joins and padding."""
    waiting, seen = [tensor], set[int]()
    while waiting and len(seen) < _MOST_STEPS:
        for made in view.graph.known_makers(waiting.pop(0)):
            if made.number in seen:
                continue
            seen.add(made.number)
            yield made
            if isinstance(made.event, (*MOVES, Elementwise, Joining)) or made.kind == "pad":
                waiting += [source for _, source in made.tensors()]


def _along_keys(operation: Operation, weights: Tensor, site: Site) -> bool:
    """Whether weights are scattered along the axis that their softmax normalised."""
    operand = operand_of(operation, "axis")
    axis = None if operand is None else as_integer(operand.value)
    shape = weights.shape
    if axis is None or shape is None or not shape.closed:
        return False
    if not -len(shape.axes) <= axis < len(shape.axes):
        return False
    return site.softmax.number in shape.axes[axis].normalised


def _moved(tensor: Tensor, view: View) -> Tensor:
    """What a tensor is a copy of, or moved or repeated from."""
    for _ in range(_MOST_STEPS):
        made = view.graph.maker(tensor)
        same = made is not None and (
            isinstance(made.event, (*MOVES, Expansion)) or made.kind in COPYING
        )
        if made is None or not same or made.source is None:
            break
        tensor = made.source
    return tensor


def _are_words(index: Tensor, view: View) -> bool:
    """Whether an embedding reads the same numbers."""
    words = _moved(index, view)
    return any(
        _moved(tensor, view) is words
        for made in view.graph.operations
        if made.kind == "embedding"
        for operand, tensor in made.tensors()
        if operand.name == "x"
    )


def _is_mixed(operation: Operation, into: Tensor, site: Site, view: View) -> bool:
    """Whether what is scattered is added to what another softmax gives: words to be said."""
    copied = {operation.number, into.operation}
    for later in view.graph.after(operation):
        if not isinstance(later.event, Elementwise) or later.event.symbol != "+":
            continue
        sides = [{made.number for made in _passed(tensor, view)} for _, tensor in later.tensors()]
        if len(sides) == 2 and any(copied & side for side in sides):
            others = [side for side in sides if not copied & side]
            if any(_has_softmax(side, site, view) for side in others):
                return True
    return False


def _has_softmax(numbers: set[int], site: Site, view: View) -> bool:
    return any(
        made.number in numbers and isinstance(made.event, Softmax) and made is not site.softmax
        for made in view.graph.operations
    )
