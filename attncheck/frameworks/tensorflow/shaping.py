"""TensorFlow's transposes, reshapes, repetitions and copies."""

from __future__ import annotations

from attncheck.frameworks.spelling import Table
from attncheck.operators import permuting, repeating, reshaping
from attncheck.values.value import Const

TABLE = Table("tensorflow")

# Order of axes.
TABLE.add(
    "tensorflow.transpose",
    permuting.permute,
    "a:x, perm:axes=None, conjugate=False, name=transpose",
)
TABLE.add(
    "tensorflow.linalg.matrix_transpose tensorflow.linalg.adjoint",
    permuting.matrix_transpose,
    "a:x, name=None, conjugate=False",
)

# Axes drawn anew.
TABLE.add("tensorflow.reshape", reshaping.reshape, "tensor:x, shape:sizes, name=None")
TABLE.add("tensorflow.expand_dims", reshaping.unsqueeze, "input:x, axis, name=None")
TABLE.add("tensorflow.squeeze", reshaping.squeeze, "input:x, axis=None, name=None")

# Elements repeated.
TABLE.add("tensorflow.broadcast_to", repeating.expand, "input:x, shape:sizes, name=None")
TABLE.add("tensorflow.tile", repeating.tile, "input:x, multiples:counts, name=None")
TABLE.add(
    "tensorflow.repeat",
    repeating.repeat_interleave,
    "input:x, repeats:counts, axis=None, name=None",
)

# Elements reordered.
TABLE.add("tensorflow.reverse", repeating.flip, "tensor:x, axis, name=None")
TABLE.add("tensorflow.roll", repeating.roll, "input:x, shift:shifts, axis, name=None")

# The same elements.
TABLE.add("tensorflow.identity", repeating.identity, "input:x, name=None")
TABLE.add("tensorflow.stop_gradient", repeating.identity, "input:x, name=None")
TABLE.add("tensorflow.cast", repeating.identity, "x, dtype, name=None")
TABLE.add("tensorflow.ensure_shape", repeating.identity, "x, shape, name=None")
TABLE.add(
    "tensorflow.Variable",
    repeating.learned,
    "initial_value:x, trainable=None, validate_shape=True, caching_device=None, name=None, "
    "variable_def=None, dtype=None, import_scope=None, constraint=None, synchronization=None, "
    "aggregation=None, shape=None",
)
TABLE.add("tensorflow.Tensor.numpy", repeating.identity, "self:x", becomes=Const("numpy"))
