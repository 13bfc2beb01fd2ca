"""torch's joins, splits and paddings."""

from __future__ import annotations

from attncheck.frameworks.spelling import Table
from attncheck.operators import joining, padding, splitting

TABLE = Table("torch")

# Joining.
TABLE.add(
    "torch.cat torch.concat torch.concatenate",
    joining.concatenate,
    "tensors:xs, dim:axis=0, *, out=None",
)
TABLE.add("torch.stack", joining.stack, "tensors:xs, dim:axis=0, *, out=None")
TABLE.add("torch.hstack", joining.hstack, "tensors:xs, *, out=None")
TABLE.add("torch.vstack torch.row_stack", joining.vstack, "tensors:xs, *, out=None")
TABLE.add("torch.dstack", joining.dstack, "tensors:xs, *, out=None")
TABLE.add("torch.column_stack", joining.column_stack, "tensors:xs, *, out=None")
TABLE.add("torch.block_diag", joining.block_diagonal, "*tensors:xs")

# Splitting.
TABLE.add("torch.split", splitting.split, "tensor:x, split_size_or_sections:size, dim:axis=0")
TABLE.add("torch.Tensor.split", splitting.split, "self:x, split_size:size, dim:axis=0")
TABLE.add("torch.split_with_sizes", splitting.split, "input:x, split_sizes:size, dim:axis=0")
TABLE.add("torch.Tensor.split_with_sizes", splitting.split, "self:x, split_sizes:size, dim:axis=0")
TABLE.add("torch.chunk", splitting.chunk, "input:x, chunks:count, dim:axis=0")
TABLE.add("torch.Tensor.chunk", splitting.chunk, "self:x, chunks:count, dim:axis=0")
TABLE.add("torch.unbind", splitting.unbind, "input:x, dim:axis=0")
TABLE.add("torch.Tensor.unbind", splitting.unbind, "self:x, dim:axis=0")
_SECTIONS = "indices_or_sections:parts, dim:axis=0"
TABLE.add("torch.tensor_split", splitting.array_split, f"input:x, {_SECTIONS}")
TABLE.add("torch.Tensor.tensor_split", splitting.array_split, f"self:x, {_SECTIONS}")
TABLE.add("torch.hsplit", splitting.hsplit, "input:x, indices_or_sections:parts")

TABLE.add("torch.nn.functional.glu", splitting.halve, "input:x, dim:axis=-1")

# Padding.
TABLE.add("torch.nn.functional.pad", padding.pad, "input:x, pad:widths, mode=constant, value=None")
TABLE.add(
    "torch.nn.utils.rnn.pad_sequence",
    padding.pad_sequence,
    "sequences:xs, batch_first=False, padding_value=0.0, padding_side=right",
)
