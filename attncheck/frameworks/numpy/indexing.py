"""NumPy's selections of elements: by index, by rank, and by triangle."""

from __future__ import annotations

from attncheck.frameworks.spelling import Table
from attncheck.operators import selection, triangles
from attncheck.values.value import Const

TABLE = Table("numpy")

# By an index array.
TABLE.add("numpy.take", selection.take, "a:x, indices:index, axis=None, out=None, mode=raise")
TABLE.add(
    "numpy.ndarray.take", selection.take, "self:x, indices:index, axis=None, out=None, mode=raise"
)
TABLE.add(
    "numpy.take_along_axis",
    selection.take_along,
    "arr:x, indices:index, axis=-1",
)

# Windows.
TABLE.add(
    "numpy.lib.stride_tricks.sliding_window_view",
    selection.sliding_windows,
    "x, window_shape:length, axis=None, *, subok=False, writeable=False",
)

# By value.
_ORDER = "axis=-1, kind=None, order=None"
TABLE.add("numpy.sort", selection.sort, f"a:x, {_ORDER}")
TABLE.add("numpy.ndarray.sort", selection.sort_in_place, f"self:x, {_ORDER}")
TABLE.add("numpy.argsort", selection.argsort, f"a:x, {_ORDER}")
TABLE.add("numpy.ndarray.argsort", selection.argsort, f"self:x, {_ORDER}")
TABLE.add("numpy.partition", selection.sort, "a:x, kth, axis=-1")
TABLE.add("numpy.argpartition", selection.argsort, "a:x, kth, axis=-1")
TABLE.add("numpy.argwhere", selection.positions, "a:x")
TABLE.add("numpy.nonzero", selection.positions_by_axis, "a:x")
TABLE.add("numpy.ndarray.nonzero", selection.positions_by_axis, "self:x")
TABLE.add("numpy.flatnonzero", selection.unlisted_vector, "a:x", dtype_is=Const("int"))
_ASSUME = "assume_unique=False, invert=False"
TABLE.add("numpy.isin", selection.membership, f"element:x, test_elements, {_ASSUME}")
TABLE.add(
    "numpy.unique",
    selection.unique,
    "ar:x, return_index:index=False, return_inverse:inverse=False, return_counts:counts=False, "
    "axis=None",
)
TABLE.add("numpy.bincount", selection.unlisted_vector, "x, weights=None, minlength=0")
TABLE.add("numpy.searchsorted", selection.search, "a:x, v:y, side=left, sorter=None")
TABLE.add("numpy.digitize", selection.search, "x:y, bins:x, right=False")

# Triangles and diagonals.
for _name in ("tril", "triu"):
    TABLE.add(f"numpy.{_name}", triangles.triangle, "m:x, k:diagonal=0", kind=Const(_name))
TABLE.add("numpy.diag", triangles.diag, "v:x, k:offset=0")
_DIAGONAL = "offset=0, axis1=0, axis2=1"
TABLE.add("numpy.diagonal", triangles.diagonal, f"a:x, {_DIAGONAL}")
TABLE.add("numpy.ndarray.diagonal", triangles.diagonal, f"self:x, {_DIAGONAL}")
TABLE.add("numpy.trace", triangles.trace, f"a:x, {_DIAGONAL}, dtype=None, out=None")
TABLE.add("numpy.ndarray.trace", triangles.trace, f"self:x, {_DIAGONAL}, dtype=None, out=None")
