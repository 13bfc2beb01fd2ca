"""torch's reductions and softmaxes."""

from __future__ import annotations

from attncheck.algebra.size import const
from attncheck.frameworks.spelling import Table
from attncheck.operators import reduction
from attncheck.operators.softmax import softmax
from attncheck.values.value import Const, Int

TABLE = Table("torch")

_AXIS = "dim:axis=None, keepdim:keepdims=False"

#: Name -> the parameters behind the input.
_REDUCTIONS = {
    "sum": f"{_AXIS}, *, dtype=None, out=None",
    "nansum": f"{_AXIS}, *, dtype=None, out=None",
    "mean": f"{_AXIS}, *, dtype=None, out=None",
    "nanmean": f"{_AXIS}, *, dtype=None, out=None",
    "prod": f"{_AXIS}, *, dtype=None, out=None",
    "amax": f"{_AXIS}, *, out=None",
    "amin": f"{_AXIS}, *, out=None",
    "all": f"{_AXIS}, *, out=None",
    "any": f"{_AXIS}, *, out=None",
    "argmax": _AXIS,
    "argmin": _AXIS,
    "std": "dim:axis=None, unbiased=True, keepdim:keepdims=False, *, correction=1, out=None",
    "var": "dim:axis=None, unbiased=True, keepdim:keepdims=False, *, correction=1, out=None",
    "logsumexp": "dim:axis, keepdim:keepdims=False, *, out=None",
    "count_nonzero": "dim:axis=None",
}
_KINDS = {"amax": "max", "amin": "min"}

for _name, _rest in _REDUCTIONS.items():
    _kind = Const(_KINDS.get(_name, _name))
    TABLE.add(f"torch.{_name}", reduction.reduce, f"input:x, {_rest}", kind=_kind)
    TABLE.add(f"torch.Tensor.{_name}", reduction.reduce, f"self:x, {_rest}", kind=_kind)
TABLE.add(
    "torch.special.logsumexp",
    reduction.reduce,
    f"input:x, {_REDUCTIONS['logsumexp']}",
    kind=Const("logsumexp"),
)

for _name in ("max", "min", "median", "nanmedian"):
    _spelled = f"{_AXIS}, *, other:y=None, out=None"
    TABLE.add(f"torch.{_name}", reduction.reduce_to_pair, f"input:x, {_spelled}", kind=Const(_name))
    TABLE.add(
        f"torch.Tensor.{_name}", reduction.reduce_to_pair, f"self:x, {_spelled}", kind=Const(_name)
    )

for _name in ("var_mean", "std_mean"):
    TABLE.add(
        f"torch.{_name}", reduction.moments, f"input:x, {_REDUCTIONS['var']}", kind=Const(_name)
    )

for _name in ("cumsum", "cumprod", "logcumsumexp"):
    TABLE.add(
        f"torch.{_name}",
        reduction.scan,
        "input:x, dim:axis, *, dtype=None, out=None",
        kind=Const(_name),
    )
    TABLE.add(
        f"torch.Tensor.{_name}",
        reduction.scan,
        "self:x, dim:axis, *, dtype=None",
        kind=Const(_name),
    )

for _name in ("cummax", "cummin"):
    TABLE.add(f"torch.{_name}", reduction.scan_pair, "input:x, dim:axis", kind=Const(_name))
    TABLE.add(f"torch.Tensor.{_name}", reduction.scan_pair, "self:x, dim:axis", kind=Const(_name))

_NORM = Const("norm")
TABLE.add(
    "torch.norm torch.functional.norm",
    reduction.norm,
    "input:x, p:order=2, dim:axis=None, keepdim:keepdims=False, out=None, dtype=None",
    kind=_NORM,
)
TABLE.add(
    "torch.Tensor.norm",
    reduction.norm,
    "self:x, p:order=2, dim:axis=None, keepdim:keepdims=False, dtype=None",
    kind=_NORM,
)
_LINALG = "dim:axis=None, keepdim:keepdims=False, *, out=None, dtype=None"
TABLE.add("torch.linalg.norm", reduction.norm, f"A:x, ord:order=None, {_LINALG}", kind=_NORM)
TABLE.add("torch.linalg.vector_norm", reduction.reduce, f"x, ord:order=2, {_LINALG}", kind=_NORM)

for _name, _log in (("softmax", False), ("log_softmax", True)):
    _flag = Const(_log)
    _functional = "dim:axis=None, _stacklevel=3, dtype=None"
    TABLE.add(f"torch.nn.functional.{_name}", softmax, f"input:x, {_functional}", log=_flag)
    for _module in ("torch", "torch.special"):
        TABLE.add(f"{_module}.{_name}", softmax, "input:x, dim:axis, dtype=None", log=_flag)
    TABLE.add(f"torch.Tensor.{_name}", softmax, "self:x, dim:axis, dtype=None", log=_flag)
TABLE.add(
    "torch.nn.functional.softmin", softmax, "input:x, dim:axis=None, _stacklevel=3, dtype=None"
)
TABLE.add(
    "torch.nn.functional.gumbel_softmax",
    softmax,
    "logits:x, tau=1, hard=False, eps=1e-10, dim:axis=-1",
    axis=Int(const(-1)),
)
