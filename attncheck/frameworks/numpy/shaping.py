"""numpy's transposes, reshapes, repetitions and copies."""

from __future__ import annotations

from attncheck.frameworks.spelling import Table
from attncheck.operators import permuting, repeating, reshaping

TABLE = Table("numpy")

# Order of axes.
TABLE.add_property("numpy.ndarray.T", permuting.reverse)
TABLE.add_property("numpy.ndarray.mT", permuting.matrix_transpose)
TABLE.add("numpy.transpose numpy.permute_dims", permuting.permute, "a:x, axes=None")
TABLE.add("numpy.ndarray.transpose", permuting.permute, "self:x, *axes")
TABLE.add("numpy.matrix_transpose numpy.linalg.matrix_transpose", permuting.matrix_transpose, "x")
TABLE.add("numpy.swapaxes", permuting.swap, "a:x, axis1:first, axis2:second")
TABLE.add("numpy.ndarray.swapaxes", permuting.swap, "self:x, axis1:first, axis2:second")
TABLE.add("numpy.moveaxis", permuting.move, "a:x, source, destination:target")

# Axes drawn anew.
TABLE.add("numpy.reshape", reshaping.reshape, "a:x, shape:sizes, order=C, *, copy=None")
TABLE.add("numpy.ndarray.reshape", reshaping.reshape, "self:x, *shape:sizes, order=C, copy=None")
TABLE.add("numpy.ravel", reshaping.ravel, "a:x, order=C")
TABLE.add("numpy.ndarray.ravel numpy.ndarray.flatten", reshaping.ravel, "self:x, order=C")
TABLE.add("numpy.squeeze", reshaping.squeeze, "a:x, axis=None")
TABLE.add("numpy.ndarray.squeeze", reshaping.squeeze, "self:x, axis=None")
TABLE.add("numpy.expand_dims", reshaping.unsqueeze, "a:x, axis")

# Elements repeated.
TABLE.add("numpy.broadcast_to", repeating.expand, "array:x, shape:sizes, subok=False")
TABLE.add("numpy.tile", repeating.tile, "A:x, reps:counts")
TABLE.add("numpy.repeat", repeating.repeat_interleave, "a:x, repeats:counts, axis=None")
TABLE.add("numpy.ndarray.repeat", repeating.repeat_interleave, "self:x, repeats:counts, axis=None")

# Elements reordered.
TABLE.add("numpy.flip", repeating.flip, "m:x, axis=None")
TABLE.add("numpy.roll", repeating.roll, "a:x, shift:shifts, axis=None")

# The same elements.
TABLE.add("numpy.copy", repeating.identity, "a:x, order=K, subok=False")
TABLE.add("numpy.ndarray.copy", repeating.identity, "self:x, order=C")
TABLE.add("numpy.ascontiguousarray", repeating.contiguous, "a:x, dtype=None")
TABLE.add(
    "numpy.ndarray.astype",
    repeating.identity,
    "self:x, dtype, order=K, casting=unsafe, subok=True, copy=True",
)
TABLE.add("numpy.astype", repeating.identity, "x, dtype, *, copy=True, device=None")
