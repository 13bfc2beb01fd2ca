"""``jax.numpy`` and the methods of jax's arrays: NumPy's tables under jax's names.

Where jax has a function of NumPy's it has its rules, so that only what differs is written here:
parameters of other names, and functions that there are not.
"""

from __future__ import annotations

from dataclasses import replace

from attncheck.frameworks.numpy import (
    creation,
    elementwise,
    indexing,
    joining,
    products,
    queries,
    reductions,
    shaping,
    transforms,
)
from attncheck.frameworks.spelling import Table
from attncheck.operators import contraction, padding, permuting
from attncheck.operators import elementwise as functions
from attncheck.operators import indexing as items
from attncheck.operators import joining as joins
from attncheck.operators.call import Operator
from attncheck.operators.softmax import softmax
from attncheck.values.value import Const

TABLE = Table("jax")

_NUMPY = (
    creation,
    elementwise,
    indexing,
    joining,
    products,
    queries,
    reductions,
    shaping,
    transforms,
)
#: What NumPy's names begin with -> what jax's do, the longest first.
_NAMES = {
    "numpy.ndarray.": "jax.Array.",
    "numpy.random.": None,
    "numpy.lib.": None,
    "numpy.": "jax.numpy.",
    "scipy.special.": "jax.scipy.special.",
}
#: What jax has not, or does by other rules.
_ABSENT = frozenset(
    [
        *("jax.Array.fill", "jax.Array.sort"),
        *("jax.numpy.asanyarray", "jax.numpy.ascontiguousarray"),
    ]
)
#: Options that many functions of jax take, and that leave shapes alone.
_OPTIONS = (
    "precision=None, preferred_element_type=None, out_sharding=None, promote_integers=True, "
    "_dot_general=None, "
    "stable=True, descending=False"
)


def _of_jax(path: str) -> str | None:
    """The name that a function of NumPy's has in jax; None if jax has it not."""
    for start, own in _NAMES.items():
        if path.startswith(start):
            name = None if own is None else own + path.removeprefix(start)
            return None if name in _ABSENT else name
    return None


def _borrow(table: Table) -> None:
    for path, spelling in table.spellings.items():
        name = _of_jax(path)
        if name is None:
            continue
        signature = f"{spelling.signature}, *, {_OPTIONS}"
        TABLE.spellings[name] = replace(spelling, path=name, signature=signature, _parameters=None)
        if path in table.properties:
            TABLE.properties.add(name)


for _module in _NUMPY:
    _borrow(_module.TABLE)

# Other names for parameters, or others that may be named.
TABLE.add("jax.numpy.matmul", contraction.matmul, f"a:x, b:y, *, {_OPTIONS}")
TABLE.add(
    "jax.numpy.clip",
    functions.clip,
    # Until 2024 the bounds were called as NumPy's are.
    "arr:x, min:low=None, max:high=None, **older",
)
TABLE.add(
    "jax.numpy.pad",
    padding.pad_axes,
    "array:x, pad_width:widths, mode=constant, *, constant_values=0",
)
TABLE.add("jax.numpy.concat", joins.concatenate, "arrays:xs, /, *, axis=0")
TABLE.add("jax.numpy.permute_dims", permuting.permute_all, "a:x, /, axes")
for _name, _log in (("softmax", False), ("log_softmax", True)):
    TABLE.add(f"jax.scipy.special.{_name}", softmax, "x, /, *, axis=None", log=Const(_log))
TABLE.add(
    "jax.Array.astype",
    TABLE.spellings["jax.Array.astype"].operator,
    "self:x, dtype, copy=False, device=None",
)
_ORDER = "axis=-1, *, kind=None, order=None, stable=True, descending=False"
TABLE.add("jax.Array.sort", TABLE.spellings["jax.numpy.sort"].operator, f"self:x, {_ORDER}")

#: jax's own among the functions of one and of two operands.
_UNARY = {
    "arcsin": "asin",
    "arccos": "acos",
    "arctan": "atan",
    "arctanh": "atanh arctanh",
    "arcsinh": "asinh arcsinh",
    "arccosh": "acosh arccosh",
    "cbrt": "cbrt",
    "trunc": "trunc",
    "sinc": "sinc",
    "deg2rad": "deg2rad radians",
    "rad2deg": "rad2deg degrees",
}
for _symbol, _names in _UNARY.items():
    for _name in _names.split():
        TABLE.add(f"jax.numpy.{_name}", functions.unary, "x, /", symbol=Const(_symbol))
_BINARY: dict[str, Operator] = {
    "pow": functions.power,
    "atan2": functions.arctan2,
    "logaddexp": functions.log_add,
}
for _name, _operator in _BINARY.items():
    TABLE.add(f"jax.numpy.{_name}", _operator, "x1:x, x2:y, /")

# ``x.at[key].set(y)``: what is written must fit, and the result is a new array like ``x``.
_AT = "jax.Array.at[]"
_MODES = "indices_are_sorted=False, unique_indices=False, mode=None"
for _name in ("set", "add", "subtract", "multiply", "mul", "divide", "power", "min", "max"):
    TABLE.add(f"{_AT}.{_name}", items.assign, f"self:x, key, values:y, *, {_MODES}")
TABLE.add(f"{_AT}.get", items.index, f"self:x, key, *, {_MODES}, fill_value=None")
