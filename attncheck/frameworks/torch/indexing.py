"""torch's selections of elements: by index, by mask, by rank, and by triangle."""

from __future__ import annotations

from attncheck.frameworks.spelling import Table
from attncheck.operators import indexing, selection, triangles
from attncheck.operators.call import Operator
from attncheck.values.value import Const

TABLE = Table("torch")


def _both(name: str, operator: Operator, rest: str, **fixed: Const) -> None:
    """A function of torch and the method of the same name and parameters."""
    TABLE.add(f"torch.{name}", operator, f"input:x, {rest}", **fixed)
    TABLE.add(f"torch.Tensor.{name}", operator, f"self:x, {rest}", **fixed)


# By an index array.
_both("gather", selection.gather, "dim:axis, index, *, sparse_grad=False")
_both("take_along_dim", selection.take_along, "indices:index, dim:axis=None")
_both("take", selection.take, "index")
_both("index_select", selection.index_select, "dim:axis, index")
_both("select", selection.select, "dim:axis, index")
_both("narrow", selection.narrow, "dim:axis, start, length")
_both("masked_select", selection.masked_select, "mask")

# Written by an index array.
_SCATTERS = {
    "scatter": "dim:axis, index, src, *, reduce=None",
    "scatter_add": "dim:axis, index, src",
    "scatter_reduce": "dim:axis, index, src, reduce, *, include_self=True",
}
for _name, _rest in _SCATTERS.items():
    _both(_name, selection.scatter, _rest)
    TABLE.add(f"torch.Tensor.{_name}_", selection.scatter, f"self:x, {_rest}")
_FILLS = {
    "index_copy": "dim:axis, index, source",
    "index_add": "dim:axis, index, source, *, alpha=1",
    "index_fill": "dim:axis, index, value",
    "masked_scatter": "mask, source",
}
for _name, _rest in _FILLS.items():
    _both(_name, selection.fill_by_index, _rest)
    TABLE.add(f"torch.Tensor.{_name}_", selection.fill_by_index, f"self:x, {_rest}")

_PUT = "indices, values, accumulate=False"
TABLE.add(
    "torch.Tensor.index_put torch.Tensor.index_put_", selection.fill_by_index, f"self:x, {_PUT}"
)
TABLE.add("torch.Tensor.copy_", indexing.overwrite, "self:x, src:y, non_blocking=False")

# By value.
_both("topk", selection.topk, "k:count, dim:axis=-1, largest=True, sorted=True")
_both("kthvalue", selection.kth_value, "k:count, dim:axis=-1, keepdim:keepdims=False")
_both("sort", selection.sort_pair, "dim:axis=-1, descending=False, stable=False")
_both("argsort", selection.argsort, "dim:axis=-1, descending=False, stable=False")
_both("argwhere", selection.positions, "")
_both("nonzero", selection.positions, "*, as_tuple=False")
TABLE.add("torch.searchsorted", selection.search, "sorted_sequence:x, input:y, *, right=False")
TABLE.add("torch.bucketize", selection.search, "input:y, boundaries:x, *, right=False")
TABLE.add(
    "torch.isin",
    selection.membership,
    "elements:x, test_elements, *, assume_unique=False, invert=False",
)
_both(
    "unique",
    selection.unique,
    "sorted=True, return_inverse:inverse=False, return_counts:counts=False, dim:axis=None",
)
_both(
    "unique_consecutive",
    selection.unique,
    "return_inverse:inverse=False, return_counts:counts=False, dim:axis=None",
)
_both("bincount", selection.unlisted_vector, "weights=None, minlength=0")

# Windows, triangles and diagonals.
TABLE.add("torch.Tensor.unfold", selection.unfold, "self:x, dimension:axis, size:length, step")
for _name in ("tril", "triu"):
    _both(_name, triangles.triangle, "diagonal=0", kind=Const(_name))
    TABLE.add(f"torch.Tensor.{_name}_", triangles.triangle, "self:x, diagonal=0", kind=Const(_name))
_both("diagonal", triangles.diagonal, "offset=0, dim1:axis1=0, dim2:axis2=1")
_both("diag", triangles.diag, "diagonal:offset=0")
_both("diag_embed", triangles.diag_embed, "offset=0, dim1:axis1=-2, dim2:axis2=-1")
_both("trace", triangles.matrix_trace, "")
