"""Where masks are put on scores or on weights, and what each use does with their elements.

A mask hides in one of a few ways: scores are filled where it is true (`Way.DROPS`), kept where it
is true (`Way.KEEPS`), or it is added to them (`Way.ADDED`). Library attention has its own: torch's
multi-head attention and Transformer layers drop where a boolean mask is true,
``scaled_dot_product_attention`` keeps there, and all of them add a mask of floats. Keras' attention
casts whatever it is given to booleans, ones and zeros of floats as well, and keeps where it is
true; so do Keras' layer for softmax, and the ``where`` of jax's.
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterator

from attncheck.attention import Site, behind, scores_product
from attncheck.graph import Graph, Operand, Operation
from attncheck.meaning.elements import operand_of
from attncheck.meaning.marks import Mark, hides
from attncheck.meaning.reading import Meanings
from attncheck.operators.events import MOVES, Contraction, Einsum, Elementwise, Event
from attncheck.record import record, replace
from attncheck.values.tensor import Tensor

_PRODUCTS: tuple[type[Event], ...] = (Contraction, Einsum)


class Way(enum.Enum):
    """What a use does with a mask."""

    DROPS = "hides where it is true"
    KEEPS = "hides where it is false"
    ADDED = "adds it to the scores"
    SUBTRACTED = "subtracts it from the scores"
    #: the scores of some positions are replaced by what it holds for them
    FILLED = "puts it in the place of the scores to be hidden"


@record
class Use:
    """One mask put on scores or weights: the operation, and which operand the mask is.

    ``site`` is the attention whose scores or weights they are, where that is known; ``library``
    says that the operation is the whole attention, ``late`` that it masks weights.
    """

    operation: Operation
    operand: Operand
    tensor: Tensor
    way: Way
    site: Site | None = None
    library: bool = False
    late: bool = False

    @property
    def argument(self) -> str:
        """What a library calls the mask."""
        return _SPELLED.get((self.operation.kind, self.operand.name), self.operand.name)

    def hides(self, value: float) -> bool:
        """Whether this use hides a position for which the mask has a value."""
        return _EFFECTS[self.way](value)


_EFFECTS: dict[Way, Callable[[float], bool]] = {
    Way.DROPS: bool,
    Way.KEEPS: lambda value: not value,
    Way.ADDED: hides,
    Way.SUBTRACTED: lambda value: hides(-value),
    Way.FILLED: hides,
}

_MULTIHEAD = dict.fromkeys(("key_padding_mask", "attn_mask"), Way.DROPS)
_TRANSFORMER = {
    f"{side}_{mask}": Way.DROPS
    for side in ("src", "tgt", "memory")
    for mask in ("mask", "key_padding_mask")
}
#: Library attention by operator: its masks, and what a boolean one does.
_LIBRARY: dict[str, dict[str, Way]] = {
    "multihead_attention": _MULTIHEAD,
    "multihead_function": _MULTIHEAD,
    "encoder_layer": _TRANSFORMER,
    "encoder": _TRANSFORMER,
    "decoder_layer": _TRANSFORMER,
    "decoder": _TRANSFORMER,
    "transformer": _TRANSFORMER,
    "scaled_dot_product_attention": {"mask": Way.KEEPS},
    "value_first_attention": dict.fromkeys(("mask", "value_mask", "key_mask"), Way.KEEPS),
    "softmax": dict.fromkeys(("mask", "where"), Way.KEEPS),
}
#: Library attention that takes a mask of any numbers for what is true in it, and adds none.
#: Source: keras' ``MultiHeadAttention._compute_attention_mask`` and ``Softmax.call``.
_TAKEN_FOR_TRUE = frozenset({"value_first_attention", "softmax"})


#: What masks are called where this is not their neutral name.
_SPELLED = {
    ("scaled_dot_product_attention", "mask"): "attn_mask",
    ("encoder", "src_mask"): "mask",
    ("value_first_attention", "mask"): "attention_mask",
}


def find_uses(graph: Graph, sites: list[Site], meanings: Meanings) -> Iterator[Use]:
    """Every use of a mask in a graph, in order."""
    finder = _Finder(graph, sites, meanings)
    for operation in graph.operations:
        yield from finder.uses(operation)


class _Finder:
    def __init__(self, graph: Graph, sites: list[Site], meanings: Meanings) -> None:
        self.graph = graph
        self.meanings = meanings
        #: the sites by the operations that their scores come from, and by those on their weights
        self.scores: dict[int, Site] = {}
        self.weights: dict[int | None, Site] = {}
        for site in sites:
            for made in behind(graph, site.scores_in, _PRODUCTS):
                self.scores.setdefault(made.number, site)
            self.weights.setdefault(site.softmax.number, site)
            for number in _exponentials(graph, site):
                self.weights.setdefault(number, site)
        for made in graph.operations:
            for source in _passed_on(made):
                if source in self.weights:
                    self.weights.setdefault(made.number, self.weights[source])

    def uses(self, operation: Operation) -> Iterator[Use]:
        ways = _LIBRARY.get(operation.kind)
        if ways is not None:
            yield from _library_uses(self, operation, ways)
        elif operation.kind == "assign":
            yield from _fill(self, operation, "key", "y")
        elif isinstance(operation.event, Elementwise):
            reader = _READERS.get(operation.event.symbol)
            if reader is not None:
                yield from reader(self, operation)

    def is_scores(self, operand: Operand | None, operation: Operation) -> bool:
        """Whether an operand is scores: on the way to a softmax, or made by a product."""
        if operand is None or not isinstance(operand.value, Tensor):
            return False
        if self.meanings.mark(operand.value) is not None:
            return False
        if operation.number in self.scores:
            return True
        return scores_product(self.graph, operand.value) is not None

    def use(self, operation: Operation, operand: Operand | None, way: Way) -> Iterator[Use]:
        """The use of an operand as a mask on scores."""
        if operand is not None and isinstance(operand.value, Tensor):
            site = self.scores.get(operation.number)
            yield Use(operation, operand, operand.value, way, site)

    def late(
        self, operation: Operation, mask: Operand | None, weights: Operand | None, way: Way
    ) -> Iterator[Use]:
        """The use of an operand as a mask on weights, if the other operand is some."""
        if mask is None or weights is None:
            return
        if isinstance(mask.value, Tensor) and isinstance(weights.value, Tensor):
            sites = [self.weights[each] for each in weights.value.made_by if each in self.weights]
            if sites:
                yield Use(operation, mask, mask.value, way, sites[0], late=True)


def _exponentials(graph: Graph, site: Site) -> Iterator[int]:
    """The exponentials that a softmax written by hand divides by their sum."""
    if not isinstance(site.softmax.event, Elementwise):
        return
    for _, tensor in site.softmax.tensors():
        for made in behind(graph, tensor, _PRODUCTS):
            if isinstance(made.event, Elementwise) and made.event.symbol == "exp":
                yield made.number


def _passed_on(made: Operation) -> frozenset[int | None]:
    """The operations whose elements an operation passes on, moved or with some dropped out."""
    dropout = isinstance(made.event, Elementwise) and made.event.symbol == "dropout"
    if not (dropout or isinstance(made.event, MOVES) or made.kind == "identity"):
        return frozenset()
    tensor = next((tensor for _, tensor in made.tensors()), None)
    return frozenset() if tensor is None else tensor.made_by


def _library_uses(finder: _Finder, operation: Operation, ways: dict[str, Way]) -> Iterator[Use]:
    for operand, tensor in operation.tensors():
        way = ways.get(operand.name)
        if way is not None and operation.kind not in _TAKEN_FOR_TRUE:
            kinds = {"bool": way, "float": Way.ADDED}
            dtype = tensor.dtype or ("bool" if _is_turned(finder.graph, tensor) else "")
            way = kinds.get(dtype)
        if way is not None:
            yield Use(operation, operand, tensor, way, library=True)


def boolean_uses(graph: Graph) -> Iterator[Use]:
    """The uses of masks of unknown kind in library attention, as they are if these are boolean."""
    for operation in graph.operations:
        ways = _LIBRARY.get(operation.kind, {})
        for operand, tensor in operation.tensors():
            way = ways.get(operand.name)
            if way is not None and tensor.dtype is None and not _is_turned(graph, tensor):
                boolean = replace(tensor, dtype="bool")
                yield Use(operation, operand, boolean, way, library=True)


def _is_turned(graph: Graph, tensor: Tensor) -> bool:
    """Whether a tensor is a negation, ``~mask``: of integers a library takes none."""
    makers = graph.makers(tensor)
    return all(
        made is not None and isinstance(made.event, Elementwise) and made.event.symbol == "invert"
        for made in makers
    )


# -- by operation ----------------------------------------------------------------------------------


def _fill(
    finder: _Finder, operation: Operation, mask_name: str = "mask", value_name: str = "value"
) -> Iterator[Use]:
    """``scores.masked_fill(mask, -inf)``, and ``weights.masked_fill(mask, 0)``."""
    filled, mask = operand_of(operation, "x"), operand_of(operation, mask_name)
    value = finder.meanings.mark_of(operand_of(operation, value_name))
    if value is None or not value.is_constant:
        return
    if hides(value.visible) and finder.is_scores(filled, operation):
        yield from finder.use(operation, mask, Way.DROPS)
    elif value.visible == 0:
        yield from finder.late(operation, mask, filled, Way.DROPS)


def _choose(finder: _Finder, operation: Operation) -> Iterator[Use]:
    """``where(mask, scores, -inf)`` and the other way round; and so for weights and 0."""
    condition, true, false = (operand_of(operation, name) for name in ("condition", "x", "y"))
    for kept, other, way in ((true, false, Way.KEEPS), (false, true, Way.DROPS)):
        value = finder.meanings.mark_of(other)
        if value is None:
            continue
        if value.is_constant and value.visible == 0:
            yield from finder.late(operation, condition, kept, way)
        elif _may_hide(value, 1) and finder.is_scores(kept, operation):
            if value.is_constant:
                yield from finder.use(operation, condition, way)
            elif _is_chosen(finder.meanings.mark_of(condition), value, way):
                yield from finder.use(operation, other, Way.FILLED)


def _is_chosen(condition: Mark | None, value: Mark, way: Way) -> bool:
    """Whether the hidden positions of one mask are those that get their values from another."""
    if condition is None or condition.claims != value.claims:
        return False
    return _EFFECTS[way](condition.hidden) and not _EFFECTS[way](condition.visible)


def _add(finder: _Finder, operation: Operation) -> Iterator[Use]:
    """``scores + (1 - mask) * -1e9``."""
    x, y = operand_of(operation, "x"), operand_of(operation, "y")
    for scores, mask in ((x, y), (y, x)):
        value = finder.meanings.mark_of(mask)
        if value is not None and _may_hide(value, 1) and finder.is_scores(scores, operation):
            yield from finder.use(operation, mask, Way.ADDED)


def _subtract(finder: _Finder, operation: Operation) -> Iterator[Use]:
    """``scores - mask * 1e9``."""
    scores, mask = operand_of(operation, "x"), operand_of(operation, "y")
    value = finder.meanings.mark_of(mask)
    if value is not None and _may_hide(value, -1) and finder.is_scores(scores, operation):
        yield from finder.use(operation, mask, Way.SUBTRACTED)


def _multiply(finder: _Finder, operation: Operation) -> Iterator[Use]:
    """``weights * mask``."""
    x, y = operand_of(operation, "x"), operand_of(operation, "y")
    for weights, mask in ((x, y), (y, x)):
        value = finder.meanings.mark_of(mask)
        if value is not None and {value.visible, value.hidden} == {0, 1}:
            yield from finder.late(operation, mask, weights, Way.KEEPS)


def _may_hide(mark: Mark, sign: int) -> bool:
    """Whether a mark that is added (or, `sign` -1, subtracted) hides any position."""
    return hides(sign * mark.visible) or hides(sign * mark.hidden)


_READERS: dict[str, Callable[[_Finder, Operation], Iterator[Use]]] = {
    "masked_fill": _fill,
    "where": _choose,
    "+": _add,
    "-": _subtract,
    "*": _multiply,
}
