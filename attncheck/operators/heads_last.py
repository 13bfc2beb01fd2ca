"""Attention over tensors whose heads stand behind their positions: ``(..., T, heads, size)``.

Rules: jax.nn.dot_product_attention, flax.linen.dot_product_attention. The scores are
``(..., heads, L, S)``, so the heads are brought in front of the positions and taken back at the
end; what is left is the scaled dot product attention of every library.
"""

from __future__ import annotations

from dataclasses import replace

from attncheck.algebra.shape import Axis, Shape
from attncheck.operators.attention import scaled_dot_product_attention
from attncheck.operators.axes import append, split_trailing
from attncheck.operators.call import Call
from attncheck.operators.elementwise import without_marks
from attncheck.operators.events import Attention, Clash, Fault, Outcome
from attncheck.values.tensor import Tensor
from attncheck.values.value import Value

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
