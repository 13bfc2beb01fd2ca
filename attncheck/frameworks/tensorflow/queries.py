"""What TensorFlow tells about a tensor: its sizes and its rank."""

from __future__ import annotations

from attncheck.frameworks.spelling import Table
from attncheck.operators import queries

TABLE = Table("tensorflow")

TABLE.add_property("tensorflow.Tensor.shape", queries.shape)
TABLE.add("tensorflow.Tensor.get_shape", queries.shape, "self:x")
TABLE.add("tensorflow.shape", queries.shape, "input:x, out_type=None, name=None")
TABLE.add_property("tensorflow.Tensor.ndim", queries.rank)
TABLE.add("tensorflow.rank", queries.rank, "input:x, name=None")
TABLE.add("tensorflow.size", queries.count, "input:x, out_type=None, name=None")
TABLE.add("tensorflow.Tensor.__len__", queries.length, "self:x")
