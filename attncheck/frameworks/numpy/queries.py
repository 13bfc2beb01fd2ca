"""What NumPy tells about an array: its sizes, its rank, its elements as numbers."""

from __future__ import annotations

from attncheck.frameworks.spelling import Table
from attncheck.operators import queries

TABLE = Table("numpy")

TABLE.add_property("numpy.ndarray.shape", queries.shape)
TABLE.add("numpy.shape", queries.shape, "a:x")
TABLE.add_property("numpy.ndarray.ndim", queries.rank)
TABLE.add("numpy.ndim", queries.rank, "a:x")
TABLE.add_property("numpy.ndarray.size", queries.count)
TABLE.add("numpy.size", queries.count, "a:x, axis=None")
TABLE.add("numpy.ndarray.__len__", queries.length, "self:x")
TABLE.add("numpy.ndarray.item", queries.item, "self:x, *args:index")
TABLE.add("numpy.ndarray.tolist", queries.listed, "self:x")
TABLE.add("numpy.broadcast_shapes", queries.common_shape, "*args:shapes")
