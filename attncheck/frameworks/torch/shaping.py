"""torch's transposes, reshapes, repetitions and copies."""

from __future__ import annotations

from attncheck.frameworks.spelling import Table
from attncheck.operators import permuting, repeating, reshaping
from attncheck.operators.call import Operator
from attncheck.values.value import Const

TABLE = Table("torch")


def _add(names: str, operator: Operator, parameters: str = "") -> None:
    """Register functions ``torch.name`` and methods ``Tensor.name`` of the same parameters."""
    for name in names.split():
        TABLE.add(f"torch.{name}", operator, f"input:x, {parameters}")
        TABLE.add(f"torch.Tensor.{name}", operator, f"self:x, {parameters}")


def _add_methods(names: str, operator: Operator, parameters: str = "", **fixed: Const) -> None:
    for name in names.split():
        TABLE.add(f"torch.Tensor.{name}", operator, f"self:x, {parameters}", **fixed)


# Order of axes.
TABLE.add_property("torch.Tensor.T", permuting.reverse)
TABLE.add_property("torch.Tensor.mT torch.Tensor.mH", permuting.matrix_transpose)
TABLE.add_property("torch.Tensor.H", permuting.transpose_two)
_add("t", permuting.transpose_matrix)
_add_methods("t_", permuting.transpose_matrix)
_add("transpose swapdims", permuting.swap, "dim0:first, dim1:second")
_add("swapaxes", permuting.swap, "axis0:first, axis1:second")
_add_methods("transpose_ swapdims_", permuting.swap, "dim0:first, dim1:second")
_add_methods("swapaxes_", permuting.swap, "axis0:first, axis1:second")
TABLE.add("torch.permute", permuting.permute_all, "input:x, dims:axes")
_add_methods("permute", permuting.permute_all, "*dims:axes")
_add("movedim", permuting.move, "source, destination:target")
_add("moveaxis", permuting.move, "source, destination:target")
_add("adjoint", permuting.matrix_transpose)

# Axes drawn anew.
TABLE.add("torch.reshape", reshaping.reshape, "input:x, shape:sizes")
_add_methods("reshape", reshaping.reshape, "*shape:sizes")
_add_methods("view", reshaping.reshape, "*size:sizes")
_add_methods("view_as reshape_as", reshaping.reshape_like, "other")
_add("flatten", reshaping.flatten, "start_dim:start=0, end_dim:end=-1")
_add("ravel", reshaping.ravel)
TABLE.add("torch.unflatten", reshaping.unflatten, "input:x, dim:axis, sizes")
_add_methods("unflatten", reshaping.unflatten, "dim:axis, sizes")
_add("squeeze", reshaping.squeeze, "dim:axis=None")
_add_methods("squeeze_", reshaping.squeeze, "dim:axis=None")
_add("unsqueeze", reshaping.unsqueeze, "dim:axis")
_add_methods("unsqueeze_", reshaping.unsqueeze, "dim:axis")

# Elements repeated.
_add_methods("expand", repeating.expand, "*size:sizes")
_add_methods("expand_as", repeating.expand_like, "other")
_add("broadcast_to", repeating.expand, "size:sizes")
_add_methods("repeat", repeating.repeat, "*repeats:counts")
TABLE.add("torch.tile", repeating.tile, "input:x, dims:counts")
_add_methods("tile", repeating.tile, "*dims:counts")
_add(
    "repeat_interleave",
    repeating.repeat_interleave,
    "repeats:counts, dim:axis=None, *, output_size=None",
)

# Elements reordered.
TABLE.add("torch.flip", repeating.flip, "input:x, dims:axis")
_add_methods("flip", repeating.flip, "*dims:axis")
_add("roll", repeating.roll, "shifts, dims:axis=None")

# The same elements.
_add("clone", repeating.identity, "*, memory_format=None")
_add("detach", repeating.identity)
_add_methods("contiguous", repeating.identity, "memory_format=None")
TABLE.add(
    "torch.nn.Parameter torch.nn.parameter.Parameter",
    repeating.learned,
    "data:x, requires_grad=True",
)
TABLE.add("torch.nn.Buffer", repeating.identity, "data:x, *, persistent=True")
TABLE.add("torch.autograd.Variable", repeating.identity, "data:x, requires_grad=False")
_add_methods("detach_ requires_grad_ pin_memory", repeating.identity, "requires_grad=True")
_add_methods("cuda", repeating.identity, "device=None, non_blocking=False, memory_format=None")
_add_methods("cpu", repeating.identity, "memory_format=None")
_add_methods(
    "to", repeating.identity, "*targets, non_blocking=False, copy=False, dtype=None, device=None"
)
_add_methods("type", repeating.identity, "dtype=None, non_blocking=False")
_add_methods("type_as", repeating.identity, "other:targets")
_add_methods(
    "float double half bfloat16", repeating.identity, "memory_format=None", kind=Const("float")
)
_add_methods(
    "int long short byte char", repeating.identity, "memory_format=None", kind=Const("int")
)
_add_methods("bool", repeating.identity, "memory_format=None", kind=Const("bool"))
_add_methods("numpy", repeating.identity, "*, force=False", becomes=Const("numpy"))
TABLE.add_property("torch.Tensor.data", repeating.identity)
