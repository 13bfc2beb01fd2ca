"""``jax.nn``: activations, softmaxes, attention."""

from __future__ import annotations

from attncheck.algebra.size import const
from attncheck.frameworks.spelling import Table
from attncheck.operators import creation, elementwise, heads_last, normalising, reduction, splitting
from attncheck.operators.softmax import softmax
from attncheck.values.value import Const, Int

TABLE = Table("jax")

#: Activations, with the parameters behind the input.
_ACTIVATIONS = {
    "relu": "",
    "relu6": "",
    "sigmoid": "",
    "softplus": "",
    "soft_sign": "",
    "silu": "",
    "swish": "",
    "log_sigmoid": "",
    "leaky_relu": "negative_slope=0.01",
    "hard_sigmoid": "",
    "hard_silu": "",
    "hard_swish": "",
    "hard_tanh": "",
    "elu": "alpha=1.0",
    "celu": "alpha=1.0",
    "selu": "",
    "gelu": "approximate=True",
    "squareplus": "b=4",
    "mish": "",
    "tanh": "",
}
_LAST = Int(const(-1))
#: Where else the functions of ``jax.nn`` are found: flax has them under its own names.
_HOMES = ("jax.nn", "flax.linen", "flax.nnx")
_FLAX_HAS_NOT = frozenset(["hard_silu", "squareplus", "mish", "hard_swish"])


def names(name: str) -> str:
    """The full names of a function of ``jax.nn``."""
    homes = _HOMES[:1] if name in _FLAX_HAS_NOT else _HOMES
    return " ".join(f"{home}.{name}" for home in homes)


for _name, _rest in _ACTIVATIONS.items():
    TABLE.add(names(_name), elementwise.unary, f"x, {_rest}", symbol=Const(_name))
TABLE.add("jax.nn.identity", elementwise.unary, "x", symbol=Const("positive"))

for _name, _log in (("softmax", False), ("log_softmax", True)):
    TABLE.add(names(_name), softmax, "x, axis=-1, where=None", axis=_LAST, log=Const(_log))
TABLE.add(
    f"{names('logsumexp')} jax.scipy.special.logsumexp",
    reduction.reduce,
    "a:x, axis=None, b=None, keepdims=False, return_sign=False, where=None",
    kind=Const("logsumexp"),
)
TABLE.add(
    names("standardize"),
    normalising.normalize,
    "x, axis=-1, mean=None, variance=None, epsilon=1e-05, where=None, *, algorithm=fast",
    axis=_LAST,
)
TABLE.add(names("glu"), splitting.halve, "x, axis=-1", axis=_LAST)
TABLE.add(
    names("one_hot"),
    creation.one_hot,
    "x, num_classes:count, *, dtype=None",
    dtype_is=Const("float"),
)
TABLE.add(
    "jax.nn.dot_product_attention",
    heads_last.attention,
    "query, key, value, bias=None, mask=None, *, scale=None, is_causal=False, "
    "query_seq_lengths=None, key_value_seq_lengths=None, local_window_size=None, "
    "implementation=None",
    grouped=Const(True),
)
