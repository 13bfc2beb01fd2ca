"""Keras' layers and functions over several tensors: sums, products, joins."""

from __future__ import annotations

from attncheck.algebra.size import const
from attncheck.frameworks.spelling import Table
from attncheck.operators import joining, merging
from attncheck.values.value import Const, Int

TABLE = Table("keras")

_L = "keras.layers"
_LAST = Int(const(-1))

#: Class -> (function, symbol).
_MERGES = {
    "Add": ("add", "+"),
    "Subtract": ("subtract", "-"),
    "Multiply": ("multiply", "*"),
    "Average": ("average", "average"),
    "Maximum": ("maximum", "maximum"),
    "Minimum": ("minimum", "minimum"),
}
for _class, (_function, _symbol) in _MERGES.items():
    TABLE.add_layer(
        f"{_L}.{_class}", merging.merge, "**options", "inputs:xs", symbol=Const(_symbol)
    )
    TABLE.add(f"{_L}.{_function}", merging.merge, "inputs:xs, **options", symbol=Const(_symbol))
TABLE.add_layer(
    f"{_L}.Concatenate", joining.concatenate, "axis=-1, **options", "inputs:xs", axis=_LAST
)
TABLE.add(f"{_L}.concatenate", joining.concatenate, "inputs:xs, axis=-1, **options", axis=_LAST)
TABLE.add_layer(f"{_L}.Dot", merging.dot, "axes, normalize=False, **options", "inputs:xs")
TABLE.add(f"{_L}.dot", merging.dot, "inputs:xs, axes, normalize=False, **options")
