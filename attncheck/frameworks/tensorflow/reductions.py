"""TensorFlow's reductions and softmaxes."""

from __future__ import annotations

from attncheck.algebra.size import ZERO, const
from attncheck.frameworks.spelling import Table
from attncheck.operators import elementwise, reduction
from attncheck.operators.softmax import softmax
from attncheck.values.value import Const, Int

TABLE = Table("tensorflow")

_AXIS = "input_tensor:x, axis=None, keepdims=False, name=None"
_LAST, _FIRST = Int(const(-1)), Int(ZERO)

#: Kinds that are functions of ``tf`` and of ``tf.math``; the latter has more of them.
_BOTH = ("sum", "mean", "max", "min", "prod", "any", "all", "logsumexp")
_MORE = {"std": "std", "var": "variance"}
for _kind in _BOTH:
    TABLE.add(
        f"tensorflow.reduce_{_kind} tensorflow.math.reduce_{_kind}",
        reduction.reduce,
        _AXIS,
        kind=Const(_kind),
    )
for _kind, _name in _MORE.items():
    TABLE.add(f"tensorflow.math.reduce_{_name}", reduction.reduce, _AXIS, kind=Const(_kind))
TABLE.add(
    "tensorflow.math.count_nonzero",
    reduction.reduce,
    "input:x, axis=None, keepdims=False, dtype=None, name=None",
    kind=Const("count_nonzero"),
)
for _kind in ("argmax", "argmin"):
    TABLE.add(
        f"tensorflow.{_kind} tensorflow.math.{_kind}",
        reduction.reduce,
        "input:x, axis=None, output_type=None, name=None",
        kind=Const(_kind),
        axis=_FIRST,
    )
for _kind, _names in (
    ("cumsum", "tensorflow.cumsum tensorflow.math.cumsum"),
    ("cumprod", "tensorflow.math.cumprod"),
):
    TABLE.add(
        _names,
        reduction.scan,
        "x, axis=0, exclusive=False, reverse=False, name=None",
        kind=Const(_kind),
        axis=_FIRST,
    )
TABLE.add(
    "tensorflow.norm tensorflow.linalg.norm",
    reduction.reduce,
    "tensor:x, ord:order=euclidean, axis=None, keepdims=None, name=None",
    kind=Const("norm"),
)
TABLE.add(
    "tensorflow.nn.moments",
    reduction.moments,
    "x, axes:axis, shift=None, keepdims=False, name=None",
    kind=Const("var_mean"),
)
for _name, _log in (("softmax", False), ("log_softmax", True)):
    TABLE.add(
        f"tensorflow.nn.{_name} tensorflow.math.{_name}",
        softmax,
        "logits:x, axis=None, name=None",
        axis=_LAST,
        log=Const(_log),
    )
TABLE.add(
    "tensorflow.nn.l2_normalize tensorflow.math.l2_normalize tensorflow.linalg.l2_normalize",
    elementwise.unary,
    "x, axis=None, epsilon=1e-12, name=None",
    symbol=Const("normalize"),
)
