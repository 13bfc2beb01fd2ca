"""Attention over tensors whose heads stand behind their positions: ``(..., T, heads, size)``.

Rules: jax.nn.dot_product_attention, flax.linen.dot_product_attention. The scores are
``(..., heads, L, S)``, so the heads are brought in front of the positions and taken back at the
end; what is left is the scaled dot product attention of every library.
"""

from __future__ import annotations

from attncheck.algebra.facts import Verdict
from attncheck.algebra.shape import Axis, Shape, expand
from attncheck.algebra.size import Size
from attncheck.operators.attention import scaled_dot_product_attention
from attncheck.operators.axes import append, split_trailing
from attncheck.operators.call import Call
from attncheck.operators.elementwise import without_marks
from attncheck.operators.events import Attention, Clash, Fault, Outcome
from attncheck.record import replace
from attncheck.values.tensor import Tensor
from attncheck.values.value import NONE, Value

_NAMES = ("query", "key", "value")


def attention(call: Call) -> Outcome:
    """``(..., L, N, E), (..., S, K, E), (..., S, K, V) -> (..., L, N, V)``.

    The mask, and a bias that is added to the scores, stretch to ``(..., N, L, S)``. With
    ``grouped`` the K heads of key and value divide the N of the query; otherwise K is N.
    """
    turned: dict[str, Value] = dict(call.arguments)
    for operand, name in enumerate(_NAMES):
        tensor = call.tensor(name)
        if tensor is None or tensor.shape is None:
            continue
        shape = _exchanged(call, tensor.shape)
        if shape is None:
            text = f"takes (..., T, heads, size) for the {name}, not {tensor.shape}"
            return Outcome(call.make(None, tensor.dtype), None, Clash(Fault.RANK, text, operand))
        turned[name] = tensor.with_shape(shape)
    inner = replace(call, arguments=turned)
    outcome = scaled_dot_product_attention(inner)
    made = outcome.value
    if type(made) is not Tensor or made.shape is None:
        return outcome
    shape = _exchanged(call, made.shape)
    value = made.with_shape(None if shape is None else without_marks(shape))
    return replace(outcome, value=value)


def weights(call: Call) -> Outcome:
    """The weights of that attention: ``(..., L, N, E), (..., S, N, E) -> (..., N, L, S)``."""
    tensor = call.tensor("key")
    arguments = call.arguments | ({} if tensor is None else {"value": tensor})
    outcome = attention(replace(call, arguments=arguments))
    event, query = outcome.event, call.shape("query")
    taken = None if query is None else split_trailing(query, 3, call.facts)
    if not isinstance(event, Attention) or taken is None or outcome.clash is not None:
        return Outcome(call.make(None, "float"), event, outcome.clash)
    batch, (_, heads, _) = taken
    key = replace(event.key, normalised=frozenset({call.serial}))
    made = append(without_marks(append(batch, (heads, event.query))), (key,))
    return Outcome(call.make(made, "float"), event)


def _exchanged(call: Call, shape: Shape) -> Shape | None:
    """A shape with its third and second axis from the end exchanged; None if it has not both."""
    taken = split_trailing(shape, 3, call.facts)
    if taken is None:
        return None
    batch, (first, second, last) = taken
    axes: tuple[Axis, ...] = (second, first, last)
    return append(batch, axes)


def projected(call: Call) -> Outcome:
    """MultiHeadDotProductAttention: ``(..., L, in), (..., S, in) -> (..., L, out)``.

    Query, key and value are projected to ``qkv_features`` (the query's, if left out), which the
    heads share; keys are the queries and values the keys unless they are given.
    """
    query = call.tensor("query")
    width = _features(call, query, "qkv_features")
    heads = call.size("num_heads")
    if heads is not None and width is not None:
        if call.facts.divisible(width, heads) is Verdict.DIFFERENT:
            text = f"splits {width} features among {heads} heads"
            return Outcome(
                call.make(None, "float"), None, Clash(Fault.SPLIT, text, 0, width, heads)
            )
        call.facts.divides(heads, width, "split among heads")
    size = None if heads is None or width is None else call.facts.resolve(width // heads)
    given = {"query": query, "key": _other(call, ("key", "kv"), query)}
    given["value"] = _other(call, ("value", "kv"), given["key"])
    split = {
        name: _in_heads(call, tensor, Axis(heads), Axis(size)) for name, tensor in given.items()
    }
    if None in split.values():
        return Outcome(call.make(None, "float"))
    mask = call.arguments.get("mask", NONE)
    inner = {name: tensor for name, tensor in split.items() if tensor is not None}
    outcome = attention(replace(call, arguments={**inner, "mask": mask}))
    made = None if query is None else query.shape
    taken = None if made is None else split_trailing(made, 1, call.facts)
    if outcome.clash is not None or taken is None:
        return Outcome(call.make(None, "float"), outcome.event, outcome.clash)
    output = append(taken[0], (Axis(_features(call, query, "out_features")),))
    return Outcome(call.make(without_marks(expand(output, call.facts)), "float"), outcome.event)


def _features(call: Call, query: Tensor | None, name: str) -> Size | None:
    """A number of features that is the query's where the layer was made without it."""
    if call.given(name):
        return call.size(name)
    shape = None if query is None else query.shape
    taken = None if shape is None else split_trailing(shape, 1, call.facts)
    return None if taken is None else taken[1][0].size


def _other(call: Call, names: tuple[str, ...], otherwise: Tensor | None) -> Tensor | None:
    return next((call.tensor(name) for name in names if call.given(name)), otherwise)


def _in_heads(call: Call, tensor: Tensor | None, heads: Axis, size: Axis) -> Tensor | None:
    """A tensor with its features projected to those of each head."""
    shape = None if tensor is None else tensor.shape
    taken = None if shape is None else split_trailing(shape, 1, call.facts)
    if tensor is None or taken is None:
        return None
    return tensor.with_shape(append(taken[0], (heads, size)))
