"""``jax.random``: keys, and what is drawn with them."""

from __future__ import annotations

from attncheck.algebra.size import ZERO, const
from attncheck.frameworks.spelling import Table
from attncheck.operators import creation, keys, reduction
from attncheck.values.value import Const, Int, Sequence

TABLE = Table("jax")

_FLOAT, _INT = Const("float"), Const("int")
_PLACE = "out_sharding=None"

# Keys.
TABLE.add("jax.random.PRNGKey jax.random.key", keys.key, "seed, *, impl=None, dtype=None")
TABLE.add("jax.random.fold_in", keys.key, "key, data")
TABLE.add("jax.random.split", keys.split, "key, num=2", num=Int(const(2)))

# Of the sizes in ``shape``, one number without it.
_DRAWN = {
    "normal": "dtype=None, *",
    "uniform": "dtype=None, minval=0.0, maxval=1.0, *",
    "gumbel": "dtype=None, mode=None, *",
    "exponential": "dtype=None, *",
    "laplace": "dtype=None, *",
    "cauchy": "dtype=None, *",
    "logistic": "dtype=None, *",
    "rademacher": "dtype=None, *",
}
for _name, _rest in _DRAWN.items():
    TABLE.add(
        f"jax.random.{_name}",
        creation.filled,
        f"key, shape=(), {_rest}, {_PLACE}",
        shape=Sequence(()),
        dtype_is=_INT if _name == "rademacher" else _FLOAT,
    )
TABLE.add(
    "jax.random.randint",
    creation.filled,
    f"key, shape, minval, maxval, dtype=None, *, {_PLACE}",
    dtype_is=_INT,
)

# What initializers give, whatever their law.
TABLE.add(
    "jax.nn.initializers.zeros jax.nn.initializers.ones",
    creation.filled,
    f"key, shape, dtype=None, {_PLACE}",
    dtype_is=_FLOAT,
)

# Of the shape of their parameters where no sizes are given.
TABLE.add(
    "jax.random.truncated_normal",
    creation.sampled,
    f"key, lower:low, upper:high, shape=None, dtype=None, *, {_PLACE}",
    parameters=Const("low high"),
    dtype_is=_FLOAT,
)
TABLE.add(
    "jax.random.bernoulli",
    creation.sampled,
    f"key, p=0.5, shape=None, mode=low, *, {_PLACE}",
    parameters=Const("p"),
    dtype_is=Const("bool"),
)
TABLE.add(
    "jax.random.categorical",
    reduction.reduce,
    f"key, logits:x, axis=-1, *, {_PLACE}",
    kind=Const("argmax"),
    axis=Int(const(-1)),
)
TABLE.add(
    "jax.random.choice",
    creation.choice,
    "key, a:x, shape=(), replace=True, p=None, axis=0, mode=None",
    shape=Sequence(()),
    axis=Int(ZERO),
)
TABLE.add(
    "jax.random.permutation",
    creation.permutation,
    f"key, x, axis=0, independent=False, *, {_PLACE}",
)
