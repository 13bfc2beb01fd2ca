"""NumPy's makers of arrays and its random numbers."""

from __future__ import annotations

from attncheck.frameworks.spelling import Table
from attncheck.operators import creation
from attncheck.values.value import Const

TABLE = Table("numpy")

_FLOAT, _INT = Const("float"), Const("int")
_OPTIONS = "*, device=None, like=None"

# From sizes.
for _name in ("zeros", "ones", "empty"):
    TABLE.add(
        f"numpy.{_name}",
        creation.filled,
        f"shape, dtype=None, order=C, {_OPTIONS}",
        dtype_is=_FLOAT,
    )
TABLE.add(
    "numpy.full", creation.filled, f"shape, fill_value:value, dtype=None, order=C, {_OPTIONS}"
)
TABLE.add("numpy.eye", creation.square, f"N:rows, M:columns=None, k=0, dtype=None, {_OPTIONS}")
TABLE.add("numpy.identity", creation.square, "n:rows, dtype=None, *, like=None")
TABLE.add("numpy.tri", creation.square, "N:rows, M:columns=None, k=0, dtype=None, *, like=None")
TABLE.add("numpy.arange", creation.arange, f"start, stop=None, step=1, dtype=None, {_OPTIONS}")
TABLE.add(
    "numpy.linspace",
    creation.spaced,
    "start, stop, num:count=50, endpoint=True, retstep=False, dtype=None",
)
TABLE.add(
    "numpy.logspace",
    creation.spaced,
    "start, stop, num:count=50, endpoint=True, base=10.0, dtype=None",
)
TABLE.add(
    "numpy.geomspace", creation.spaced, "start, stop, num:count=50, endpoint=True, dtype=None"
)
TABLE.add("numpy.tril_indices numpy.triu_indices", creation.index_vectors, "n, k=0, m=None")

# After a model.
for _name in ("zeros", "ones", "empty"):
    TABLE.add(
        f"numpy.{_name}_like", creation.like, "a:x, dtype=None, order=K, subok=True, shape=None"
    )
TABLE.add(
    "numpy.full_like",
    creation.like,
    "a:x, fill_value:value, dtype=None, order=K, subok=True, shape=None",
)
TABLE.add("numpy.ndarray.fill", creation.nothing, "self:x, value")

# From data.
TABLE.add(
    "numpy.array",
    creation.array,
    "object:x, dtype=None, *, copy=True, order=K, subok=False, ndmin=0, like=None",
)
TABLE.add("numpy.asarray", creation.array, f"a:x, dtype=None, order=None, copy=None, {_OPTIONS}")
TABLE.add("numpy.asanyarray", creation.array, "a:x, dtype=None, order=None")
TABLE.add("numpy.meshgrid", creation.meshgrid, "*xi:xs, indexing=xy, copy=True, sparse=False")

# Random numbers. The functions of numpy.random are the methods of a hidden RandomState.
#: Name -> (parameters before the size, dtype).
_SAMPLERS = {
    "normal": ("loc=0.0, scale=1.0", "float"),
    "uniform": ("low=0.0, high=1.0", "float"),
    "laplace": ("loc=0.0, scale=1.0", "float"),
    "gumbel": ("loc=0.0, scale=1.0", "float"),
    "exponential": ("scale=1.0", "float"),
    "beta": ("a, b", "float"),
    "gamma": ("shape:k, scale=1.0", "float"),
    "standard_gamma": ("shape:k", "float"),
    "poisson": ("lam=1.0", "int"),
    "binomial": ("n, p", "int"),
    "standard_normal": ("", "float"),
    "standard_exponential": ("", "float"),
}
_MODERN = "numpy.random.Generator"
_LEGACY = ("numpy.random", "numpy.random.RandomState")


def _neutral_names(parameters: str) -> str:
    """The neutral names of a parameter list, for the operator to look at."""
    names = (part.partition("=")[0].strip() for part in parameters.split(","))
    return " ".join(name.rpartition(":")[2] for name in names)


for _name, (_parameters, _kind) in _SAMPLERS.items():
    _signature = f"{_parameters}, size:shape=None"
    _names = Const(_neutral_names(_parameters))
    for _owner in (*_LEGACY, _MODERN):
        TABLE.add(
            f"{_owner}.{_name}",
            creation.sampled,
            f"{_signature}, dtype=None, method=zig"
            if "standard" in _name and _owner is _MODERN
            else _signature,
            parameters=_names,
            dtype_is=Const(_kind),
        )
for _owner in _LEGACY:
    TABLE.add(
        f"{_owner}.rand {_owner}.randn",
        creation.sampled_sizes,
        "d0:first=None, /, *rest",
        dtype_is=_FLOAT,
    )
    TABLE.add(
        f"{_owner}.random {_owner}.random_sample",
        creation.sampled,
        "size:shape=None",
        dtype_is=_FLOAT,
    )
    TABLE.add(
        f"{_owner}.randint",
        creation.integers,
        "low, high=None, size:shape=None, dtype=None",
        parameters=Const("low high"),
        dtype_is=_INT,
    )
    TABLE.add(f"{_owner}.choice", creation.choice, "a:x, size:shape=None, replace=True, p=None")
    TABLE.add(f"{_owner}.permutation", creation.permutation, "x")
    TABLE.add(f"{_owner}.shuffle", creation.nothing, "x")
    TABLE.add(f"{_owner}.seed", creation.nothing, "seed=None")
TABLE.add(
    f"{_MODERN}.random", creation.sampled, "size:shape=None, dtype=None, out=None", dtype_is=_FLOAT
)
TABLE.add(
    f"{_MODERN}.integers",
    creation.integers,
    "low, high=None, size:shape=None, dtype=None, endpoint=False",
    parameters=Const("low high"),
    dtype_is=_INT,
)
TABLE.add(
    f"{_MODERN}.choice",
    creation.choice,
    "a:x, size:shape=None, replace=True, p=None, axis=0, shuffle=True",
)
TABLE.add(f"{_MODERN}.permutation", creation.permutation, "x, axis=0")
TABLE.add(f"{_MODERN}.shuffle", creation.nothing, "x, axis=0")
TABLE.add("numpy.random.default_rng", creation.generator, "seed=None", path=Const(_MODERN))
TABLE.add(
    "numpy.random.RandomState",
    creation.generator,
    "seed=None",
    path=Const("numpy.random.RandomState"),
)
