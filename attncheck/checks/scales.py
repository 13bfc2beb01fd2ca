"""What scores are multiplied with on their way from the projections to softmax.

Scaled dot products are divided by sqrt(d_k) once: the scores, one of query and key, or both by the
fourth root (Vaswani et al. 2017, section 3.2.1). Numbers in a trace remember the powers of sizes
that they are made of, so every way from a softmax back to a query and a key comes to a product of
powers. A way that a number nobody knows lies on, a learned temperature or a vector of unit length,
says nothing.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from attncheck.algebra.powers import Powers
from attncheck.algebra.shape import Axis
from attncheck.algebra.size import ONE, Size
from attncheck.attention import LEARNED, role_behind
from attncheck.checks.masks import is_mask
from attncheck.checks.view import View
from attncheck.graph import Graph, Operand, Operation
from attncheck.operators.events import (
    MOVES,
    Attention,
    Contraction,
    Creation,
    Einsum,
    Elementwise,
    Event,
    Expansion,
    Joining,
    Reduction,
    Triangle,
)
from attncheck.record import record
from attncheck.values.tensor import Tensor
from attncheck.values.value import Const, Scalar, Sequence, Value, as_powers

#: Ways of one softmax that are looked at; with more than that nothing is said.
_MOST_WAYS = 24
_MOST_STEPS = 400
_MOST_MOVES = 8
#: Events that leave the size of elements as it is.
_KEEPING: tuple[type[Event], ...] = (*MOVES, Expansion, Triangle)
#: Operators that copy, cast, move or cut, also where the axes are not known that they do it to.
_NAMES = (
    "identity array contiguous new_array"
    " permute permute_all reverse matrix_transpose transpose_two transpose_matrix swap move"
    " reshape reshape_like ravel flatten unflatten squeeze unsqueeze new_axis"
    " rearrange repeat_named split chunk array_split unbind index select narrow index_select"
    " expand expand_like repeat tile repeated repeat_interleave flip roll"
)
_MOVING = frozenset(_NAMES.split())
#: Elementwise operations that only leave elements out, or turn their sign.
_SPARING = frozenset({"dropout", "masked_fill", "where", "clip", "nan_to_num", "negative", "="})
#: Operators behind which a tensor has another size whatever it had before.
_RESETTING = frozenset({"layer_norm", "batch_norm", "group_norm", "instance_norm", "embedding"})

#: What rotary position embeddings turn queries and keys with (Su et al. 2021, equation 34).
_WAVES = frozenset({"cos", "sin"})

#: Layers that multiply with a learned matrix, also where they show no event.
_LAYERS = frozenset({"linear_layer", "convolution", "transposed_convolution"})
#: Products of matrices, which show no event where the shapes are not known.
_MATRICES = frozenset({"matmul", "bmm", "baddbmm"})


@record
class Factor:
    """A number that a tensor is multiplied with: where, and what it comes to.

    ``operand`` is the number as it is written; None where a library's attention scales by itself.
    """

    operation: Operation
    powers: Powers
    operand: Operand | None = None

    @property
    def number(self) -> Scalar | Const | None:
        """The number, if it is a plain one."""
        value = None if self.operand is None else self.operand.value
        return value if isinstance(value, Scalar | Const) else None


@record
class Way:
    """One way back from scores, with the factors on it, the nearest first.

    ``product`` is where query and key met, if the way led there; one that is not ``clear`` has
    factors that nobody knows.
    """

    factors: tuple[Factor, ...] = ()
    clear: bool = True
    product: Operation | None = None

    @property
    def powers(self) -> Powers | None:
        """What all factors come to."""
        total: Powers | None = Powers()
        for factor in self.factors:
            total = None if total is None else total * factor.powers
        return total


_UNCLEAR = (Way(clear=False),)


@dataclass(slots=True)
class _Walk:
    """The ways back through a graph; with ``seek`` to the products of query and key.

    ``graphs`` are the graph and the one of the making of its object, for the numbers made there.
    """

    graphs: tuple[Graph, ...]
    seek: bool
    steps: int = 0

    def ways(self, tensor: Tensor) -> tuple[Way, ...]:
        """All ways back from a tensor."""
        if tensor.role in LEARNED:
            return (Way(),)
        found: list[Way] = []
        for made in self.graphs[0].makers(tensor):
            found += (Way(),) if made is None else self._through(made)
        return _distinct(found)

    def _through(self, made: Operation) -> tuple[Way, ...]:
        self.steps += 1
        if self.steps > _MOST_STEPS:
            return _UNCLEAR
        event = made.event
        if made.kind in _RESETTING or isinstance(event, Creation | Attention):
            return _UNCLEAR if self.seek else (Way(),)
        if isinstance(event, Elementwise):
            return self._elementwise(made, event)
        if _multiplies(made) or is_summed_product(self.graphs[0], made):
            return (Way(product=made),) if self.seek else (Way(),)
        tensors = [tensor for _, tensor in made.tensors()]
        if isinstance(event, Joining):
            return self._any(tensors)
        largest = isinstance(event, Reduction) and event.kind == "max"
        if isinstance(event, _KEEPING) or made.kind in _MOVING or largest:
            return self._any(tensors[:1])
        return _UNCLEAR

    def _any(self, tensors: Iterable[Tensor]) -> tuple[Way, ...]:
        return _distinct(way for tensor in tensors for way in self.ways(tensor))

    def _elementwise(self, made: Operation, event: Elementwise) -> tuple[Way, ...]:
        pairs = list(made.tensors())
        tensors = [tensor for _, tensor in pairs]
        if event.symbol in ("*", "/"):
            return self._scaled(made, event.symbol)
        if event.symbol in ("+", "-"):
            return self._any(tensors)
        if event.symbol in _SPARING:
            kept = [tensor for operand, tensor in pairs if operand.name in ("x", "y")]
            return self._any(kept)
        return _UNCLEAR

    def _scaled(self, made: Operation, symbol: str) -> tuple[Way, ...]:
        """Through a product or a quotient: of a tensor and a number, or of a tensor and a mask."""
        operands = [operand for operand in made.operands if operand.name in ("x", "y")]
        if len(operands) != 2:
            return _UNCLEAR
        for index in (1, 0) if symbol == "*" else (1,):
            value, other = operands[index].value, operands[1 - index].value
            if type(other) is not Tensor:
                continue
            powers = powers_of(self.graphs, value)
            if powers is not None:
                applied = powers if symbol == "*" else powers.to(-1.0)
                if applied is None:
                    return _UNCLEAR
                factor = Factor(made, applied, operands[index])
                return tuple(
                    replace(way, factors=(factor, *way.factors)) for way in self.ways(other)
                )
            if type(value) is Tensor and (
                is_mask(self.graphs[0], value) or _turns(self.graphs, value)
            ):
                return self.ways(other)
        return _UNCLEAR


def _turns(graphs: tuple[Graph, ...], table: Tensor, steps: int = _MOST_MOVES) -> bool:
    """Whether a tensor holds cosines or sines of angles: what they turn keeps its length."""
    made = _made(graphs, table) if steps else None
    sources = [] if made is None else [tensor for _, tensor in made.tensors()]
    if made is None or not sources:
        return False
    if isinstance(made.event, Elementwise):
        return made.event.symbol in _WAVES
    if isinstance(made.event, Joining):
        return all(_turns(graphs, each, steps - 1) for each in sources)
    moved = isinstance(made.event, _KEEPING) or made.kind in _MOVING
    return moved and _turns(graphs, sources[0], steps - 1)


def _made(graphs: tuple[Graph, ...], tensor: Tensor) -> Operation | None:
    return next((made for graph in graphs if (made := graph.maker(tensor)) is not None), None)


def _multiplies(made: Operation) -> bool:
    """Whether an operation is a product with a matrix, learned or not."""
    kinds = _LAYERS if made.event is not None else _LAYERS | _MATRICES
    return isinstance(made.event, Contraction | Einsum) or made.kind in kinds


def _distinct(ways: Iterable[Way]) -> tuple[Way, ...]:
    """Ways that differ in what is on them; one that is not clear where there are too many."""
    found: dict[object, Way] = {}
    for way in ways:
        numbers = tuple(factor.operation.number for factor in way.factors)
        product = None if way.product is None else way.product.number
        found.setdefault((numbers, way.clear, product), way)
    return tuple(found.values()) if len(found) <= _MOST_WAYS else _UNCLEAR


def powers_of(graphs: tuple[Graph, ...], value: Value) -> Powers | None:
    """The powers of sizes that a number is, or a tensor that holds one number; None if unknown."""
    if type(value) is not Tensor:
        return as_powers(value)
    made = _made(graphs, value)
    if made is None or not made.operands or value.role in LEARNED:
        return None
    first = next((each.value for each in made.operands if each.name == "x"), None)
    if first is None:
        return None
    if made.kind in ("array", "legacy_tensor", "identity", "new_array"):
        if type(first) is Sequence and first.items is not None and len(first.items) == 1:
            first = first.items[0]
        return powers_of(graphs, first)
    event = made.event
    if not isinstance(event, Elementwise):
        return None
    inner = powers_of(graphs, first)
    exponent = {"sqrt": 0.5, "rsqrt": -0.5, "reciprocal": -1.0}.get(event.symbol)
    return None if inner is None or exponent is None else inner.to(exponent)


def is_summed_product(graph: Graph, made: Operation) -> bool:
    """Whether an operation sums the product of two tensors: ``(q * k).sum(-1)``."""
    return summed_factors(graph, made) is not None


def summed_factors(graph: Graph, made: Operation) -> tuple[Tensor, Tensor] | None:
    """The two tensors whose product an operation sums over one axis, or None."""
    event = made.event
    if not isinstance(event, Reduction) or event.kind != "sum" or len(event.axes or ()) != 1:
        return None
    source = next((graph.maker(tensor) for _, tensor in made.tensors()), None)
    if source is None or not isinstance(source.event, Elementwise) or source.event.symbol != "*":
        return None
    tensors = [tensor for _, tensor in source.tensors()]
    return (tensors[0], tensors[1]) if len(tensors) == 2 else None


# -- dot products ----------------------------------------------------------------------------------


@record
class DotProduct:
    """A query and a key that met, and the axes of the one and of the other that were summed."""

    operation: Operation
    query: Tensor
    key: Tensor
    summed: tuple[Axis, ...]
    beside: tuple[Axis, ...]

    @property
    def size(self) -> Size | None:
        """How many products each score is the sum of, as the query has it."""
        return _product(self.summed)

    @property
    def sizes(self) -> tuple[Size, ...]:
        """The same as the query and as the key have it, where that is known."""
        found = _product(self.summed), _product(self.beside)
        return tuple(size for size in found if size is not None)


def _product(axes: tuple[Axis, ...]) -> Size | None:
    total = ONE
    for axis in axes:
        if axis.size is None:
            return None
        total *= axis.size
    return total if axes else None


def dot_product(graph: Graph, made: Operation) -> DotProduct | None:
    """The dot product that an operation is; None for a product with a learned weight."""
    tensors = [tensor for operand, tensor in made.tensors() if operand.name not in ("mask", "bias")]
    if isinstance(made.event, Attention):
        tensors = tensors[:2]
    elif isinstance(made.event, Reduction):
        tensors = list(summed_factors(graph, made) or ())
    if len(tensors) != 2 or any(role_behind(graph, tensor) in LEARNED for tensor in tensors):
        return None
    sides = _summed(made, tensors)
    return None if sides is None else DotProduct(made, tensors[0], tensors[1], *sides)


def _summed(
    made: Operation, tensors: list[Tensor]
) -> tuple[tuple[Axis, ...], tuple[Axis, ...]] | None:
    """The axes of either tensor that a product sums over."""
    event = made.event
    if any(operand.name == "alpha" for operand in made.operands):
        return None  # baddbmm scales its product by itself
    if event is None and made.kind in _MATRICES:
        return (), ()
    if isinstance(event, Contraction):
        if event.style == "linear":
            return None
        return tuple(pair.left for pair in event.pairs), tuple(pair.right for pair in event.pairs)
    if isinstance(event, Attention):
        return (event.features.left,), (event.features.right,)
    if isinstance(event, Reduction):
        place = (event.axes or (0,))[0]
        source = next(made.tensors())[1].shape
        axes = () if source is None else (*source.lead, *source.trail)
        return (axes[place:][:1],) * 2
    if not isinstance(event, Einsum) or len(event.inputs) != 2:
        return None
    letters = {letter for each in event.inputs for letter in each} - set(event.output)
    sides = [
        tuple(axis for letter, axis in _lettered(each, tensor) if letter in letters)
        for each, tensor in zip(event.inputs, tensors, strict=True)
    ]
    common = tuple(axis for letter, axis in dict(event.axes).items() if letter in letters)
    return sides[0] or common, sides[1] or common


def _lettered(letters: tuple[str, ...], tensor: Tensor) -> Iterable[tuple[str, Axis]]:
    shape = tensor.shape
    if shape is None or not shape.closed or len(shape.lead) != len(letters):
        return ()
    return zip(letters, shape.lead, strict=True)


def width_before(tensor: Tensor, view: View) -> Size | None:
    """The width of what a projection made a tensor from: that of the embedding, for a query."""
    for _ in range(_MOST_MOVES):
        made = view.graph.maker(tensor)
        before = None if made is None else next(made.tensors(), None)
        if made is None or before is None:
            return None
        if isinstance(made.event, Contraction) and made.event.style == "linear":
            return made.event.pairs[0].left.size if len(made.event.pairs) == 1 else None
        if not isinstance(made.event, _KEEPING) and made.kind not in _MOVING:
            return None
        tensor = before[1]
    return None


def is_absorbed(query: Tensor, graph: Graph) -> bool:
    """Whether a query was projected twice: the second time by what else would project the keys.

    So latent attention is decoded (DeepSeek-V2 2024, section 2.1.2): it sums over another width
    than the scores are of, whose scale they keep.
    """
    waiting = [(query, 0)]
    for _ in range(_MOST_STEPS):
        if not waiting:
            break
        tensor, projected = waiting.pop()
        made = graph.maker(tensor)
        if made is None:
            continue
        if _multiplies(made):
            if projected:
                return True
            projected = 1
        elif not isinstance(made.event, (*_KEEPING, Joining)) and made.kind not in _MOVING:
            continue
        waiting += ((operand, projected) for _, operand in made.tensors())
    return False


@record
class Scaling:
    """One way that scores come about: from a dot product, with all that it is multiplied with.

    ``alone`` says that nothing is added to it that learned weights have made.
    """

    product: DotProduct
    factors: tuple[Factor, ...]
    alone: bool = True

    @property
    def powers(self) -> Powers | None:
        """What all factors come to."""
        return Way(self.factors).powers


def scalings(scores: Tensor, view: View) -> list[Scaling]:
    """The ways that scores come about; none where one of them has something unknown on it."""
    graphs = graphs_of(view)
    found: list[Scaling] = []
    ways = _Walk(graphs, seek=True).ways(scores)
    met = [list(_to_dot_products(way, graphs)) for way in ways]
    if not all(way.clear for way in ways):
        return []
    alone = all(each or way.product is None for way, each in zip(ways, met, strict=True))
    for way, product in itertools.chain(*met):
        if not way.clear:
            return []
        for inner in _operand_ways(graphs, product):
            if not inner.clear:
                return []
            found.append(Scaling(product, (*way.factors, *inner.factors), alone))
    return found if len(found) <= _MOST_WAYS else []


def _to_dot_products(way: Way, graphs: tuple[Graph, ...]) -> Iterator[tuple[Way, DotProduct]]:
    """A way on to the products of query and key, also through a learned matrix that mixes heads.

    That is what talking heads do (Shazeer et al. 2020, section 3). What learned weights make of
    anything else is added to the scores, as a bias, or is how another kind of attention scores.
    """
    if way.product is None:
        return
    product = dot_product(graphs[0], way.product)
    if product is not None:
        yield way, product
        return
    mixed = _mixed(graphs[0], way.product)
    for inner in () if mixed is None else _Walk(graphs, seek=True).ways(mixed):
        product = None if inner.product is None else dot_product(graphs[0], inner.product)
        if product is not None:
            factors = (*way.factors, *inner.factors)
            yield Way(factors, way.clear and inner.clear, inner.product), product


def _mixed(graph: Graph, made: Operation) -> Tensor | None:
    """What a product has beside learned weights, if it has one such operand."""
    tensors = [tensor for operand, tensor in made.tensors() if operand.name not in ("mask", "bias")]
    others = [tensor for tensor in tensors if role_behind(graph, tensor) not in LEARNED]
    return others[0] if len(others) == 1 else None


def library_scalings(operation: Operation, view: View) -> list[Scaling]:
    """The ways that the scores inside a library's attention come about, which scales by itself."""
    graphs = graphs_of(view)
    product = dot_product(graphs[0], operation)
    if product is None or product.size is None:
        return []
    given = next((each for each in operation.operands if each.name == "scale"), None)
    powers = Powers(((product.size, -0.5),))
    if given is not None and as_powers(given.value) is None:
        if getattr(given.value, "value", 0) is not None:
            return []
        given = None
    own = powers if given is None else as_powers(given.value)
    assert own is not None
    factor = Factor(operation, own, given)
    ways = _operand_ways(graphs, product)
    if not all(way.clear for way in ways):
        return []
    return [Scaling(product, (factor, *way.factors)) for way in ways]


def graphs_of(view: View) -> tuple[Graph, ...]:
    """The graph of the trace, and that of the making of its object."""
    return (view.graph,) if view.making is None else (view.graph, view.making.graph)


def _operand_ways(graphs: tuple[Graph, ...], product: DotProduct) -> list[Way]:
    """The ways back from query and key together: each of the one beside each of the other."""
    sides = [_Walk(graphs, seek=False).ways(tensor) for tensor in (product.query, product.key)]
    return [_together(left, right) for left in sides[0] for right in sides[1]]


def _together(left: Way, right: Way) -> Way:
    """Both sides of a product: what both come from is the input's scale and not the scores'."""
    numbers = [{factor.operation.number for factor in way.factors} for way in (left, right)]
    both = numbers[0] & numbers[1]
    own = (
        factor for factor in (*left.factors, *right.factors) if factor.operation.number not in both
    )
    return Way(tuple(own), left.clear and right.clear)
