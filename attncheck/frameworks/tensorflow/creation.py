"""TensorFlow's makers of tensors."""

from __future__ import annotations

from attncheck.frameworks.spelling import Table
from attncheck.operators import creation
from attncheck.values.value import Const

TABLE = Table("tensorflow")

_FLOAT = Const("float")

# From sizes.
for _name in ("zeros", "ones"):
    TABLE.add(
        f"tensorflow.{_name}",
        creation.filled,
        "shape, dtype=None, name=None, layout=None",
        dtype_is=_FLOAT,
    )
    TABLE.add(
        f"tensorflow.{_name}_like",
        creation.like,
        "input:x, dtype=None, name=None, layout=None",
    )
TABLE.add(
    "tensorflow.fill",
    creation.filled,
    "dims:shape, value, name=None, layout=None",
    kind=Const("full"),
)
TABLE.add(
    "tensorflow.eye tensorflow.linalg.eye",
    creation.stacked_square,
    "num_rows:rows, num_columns:columns=None, batch_shape=None, dtype=None, name=None",
)
TABLE.add(
    "tensorflow.range",
    creation.arange,
    "start, limit:stop=None, delta:step=1, dtype=None, name=range",
)
TABLE.add("tensorflow.linspace", creation.spaced, "start, stop, num:count, name=None, axis=0")
TABLE.add("tensorflow.meshgrid", creation.meshgrid, "*args:xs, indexing=xy, name=None")
TABLE.add(
    "tensorflow.sequence_mask",
    creation.sequence_mask,
    "lengths:x, maxlen:count=None, dtype=None, name=None",
)
TABLE.add(
    "tensorflow.one_hot",
    creation.one_hot,
    "indices:x, depth:count, on_value=None, off_value=None, axis=None, dtype=None, name=None",
    dtype_is=_FLOAT,
)

# Random numbers.
_DRAWN = {
    "normal": "mean=0.0, stddev=1.0, dtype=None, seed=None, name=None",
    "truncated_normal": "mean=0.0, stddev=1.0, dtype=None, seed=None, name=None",
    "uniform": "minval=0, maxval=None, dtype=None, seed=None, name=None",
}
for _name, _rest in _DRAWN.items():
    TABLE.add(f"tensorflow.random.{_name}", creation.filled, f"shape, {_rest}", dtype_is=_FLOAT)

# From data.
TABLE.add(
    "tensorflow.constant",
    creation.array,
    "value:x, dtype=None, shape=None, name=Const",
)
TABLE.add(
    "tensorflow.convert_to_tensor",
    creation.array,
    "value:x, dtype=None, dtype_hint=None, name=None",
)
