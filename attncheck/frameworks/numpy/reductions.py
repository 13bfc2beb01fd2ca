"""numpy's reductions, and scipy's softmaxes."""

from __future__ import annotations

from attncheck.frameworks.spelling import Table
from attncheck.operators import reduction
from attncheck.operators.softmax import softmax
from attncheck.values.value import Const

TABLE = Table("numpy")

_PLAIN = "axis=None, out=None, keepdims=False, *, initial=None, where=True"
_TYPED = "axis=None, dtype=None, out=None, keepdims=False, initial=None, where=True"
_MEAN = "axis=None, dtype=None, out=None, keepdims=False, *, where=True"
_MOMENT = "axis=None, dtype=None, out=None, ddof=0, keepdims=False, *, where=True, correction=0"
_INDEX = "axis=None, out=None, *, keepdims=False"

#: Names of functions -> kind and the parameters behind the array.
_FUNCTIONS = {
    "sum": ("sum", _TYPED),
    "prod": ("prod", _TYPED),
    "max": ("max", _PLAIN),
    "min": ("min", _PLAIN),
    "amax": ("max", _PLAIN),
    "amin": ("min", _PLAIN),
    "all": ("all", "axis=None, out=None, keepdims=False, *, where=True"),
    "any": ("any", "axis=None, out=None, keepdims=False, *, where=True"),
    "mean": ("mean", _MEAN),
    "std": ("std", _MOMENT),
    "var": ("var", _MOMENT),
    "argmax": ("argmax", _INDEX),
    "argmin": ("argmin", _INDEX),
    "median": ("median", "axis=None, out=None, overwrite_input=False, keepdims=False"),
    "nansum": ("nansum", _TYPED),
    "nanmean": ("nanmean", _MEAN),
    "nanmax": ("nanmax", _PLAIN),
    "nanmin": ("nanmin", _PLAIN),
    "count_nonzero": ("count_nonzero", "axis=None, *, keepdims=False"),
}
#: Those that arrays have as methods too.
_METHODS = ("sum", "prod", "max", "min", "all", "any", "mean", "std", "var", "argmax", "argmin")

for _name, (_kind, _rest) in _FUNCTIONS.items():
    TABLE.add(f"numpy.{_name}", reduction.reduce, f"a:x, {_rest}", kind=Const(_kind))
for _name in _METHODS:
    _kind, _rest = _FUNCTIONS[_name]
    TABLE.add(f"numpy.ndarray.{_name}", reduction.reduce, f"self:x, {_rest}", kind=Const(_kind))
TABLE.add(
    "scipy.special.logsumexp",
    reduction.reduce,
    "a:x, axis=None, b=None, keepdims=False, return_sign=False",
    kind=Const("logsumexp"),
)

for _name in ("cumsum", "cumprod"):
    _rest = "axis=None, dtype=None, out=None"
    TABLE.add(f"numpy.{_name}", reduction.scan, f"a:x, {_rest}", kind=Const(_name))
    TABLE.add(f"numpy.ndarray.{_name}", reduction.scan, f"self:x, {_rest}", kind=Const(_name))

TABLE.add(
    "numpy.linalg.norm",
    reduction.norm,
    "x, ord:order=None, axis=None, keepdims=False",
    kind=Const("norm"),
)
TABLE.add(
    "numpy.average",
    reduction.average,
    "a:x, axis=None, weights=None, returned=False, *, keepdims=False",
    kind=Const("mean"),
)

TABLE.add("scipy.special.softmax", softmax, "x, axis=None")
TABLE.add("scipy.special.log_softmax", softmax, "x, axis=None", log=Const(True))
