"""What torch tells about a tensor: its sizes, its rank, its elements as numbers."""

from __future__ import annotations

from attncheck.frameworks.spelling import Table
from attncheck.operators import queries
from attncheck.values.value import FALSE

TABLE = Table("torch")

TABLE.add_property("torch.Tensor.shape", queries.shape)
TABLE.add("torch.Tensor.size", queries.size, "self:x, dim:axis=None")
TABLE.add_property("torch.Tensor.ndim", queries.rank)
TABLE.add("torch.Tensor.dim torch.Tensor.ndimension", queries.rank, "self:x")
TABLE.add("torch.Tensor.numel torch.Tensor.nelement", queries.count, "self:x")
TABLE.add("torch.numel", queries.count, "input:x")
TABLE.add("torch.Tensor.__len__", queries.length, "self:x")
TABLE.add("torch.Tensor.item", queries.item, "self:x")
TABLE.add("torch.Tensor.tolist", queries.listed, "self:x")
TABLE.add("torch.Size", queries.sizes, "sizes")
TABLE.add("torch.is_tensor torch.is_floating_point torch.is_complex", queries.answer, "input:x")
TABLE.add(
    "torch.Tensor.is_floating_point torch.Tensor.is_complex torch.Tensor.is_contiguous",
    queries.answer,
    "self:x",
)
# A program that runs is not being traced, scripted or compiled.
TABLE.add(
    "torch.jit.is_tracing torch.jit.is_scripting torch.compiler.is_compiling "
    "torch.compiler.is_exporting torch.onnx.is_in_onnx_export",
    queries.answer,
    "",
    always=FALSE,
)
TABLE.add("torch.cuda.is_available torch.is_grad_enabled", queries.answer, "")
TABLE.add("torch.broadcast_shapes", queries.common_shape, "*shapes")
