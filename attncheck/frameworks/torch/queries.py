"""What torch tells about a tensor: its sizes, its rank, its elements as numbers."""

from __future__ import annotations

from attncheck.frameworks.spelling import Table
from attncheck.operators import queries

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
TABLE.add("torch.broadcast_shapes", queries.common_shape, "*shapes")
