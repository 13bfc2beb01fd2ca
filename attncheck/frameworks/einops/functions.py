"""The functions of einops."""

from __future__ import annotations

from attncheck.frameworks.spelling import Table
from attncheck.operators import einsum, packing, rearranging
from attncheck.values.value import Const

TABLE = Table("einops")

TABLE.add("einops.rearrange", rearranging.rearrange, "tensor:x, pattern, **axes_lengths:lengths")
TABLE.add("einops.repeat", rearranging.repeat_named, "tensor:x, pattern, **axes_lengths:lengths")
TABLE.add(
    "einops.reduce",
    rearranging.reduce_named,
    "tensor:x, pattern, reduction, **axes_lengths:lengths",
)
TABLE.add("einops.einsum", einsum.einsum, "*tensors_and_pattern:operands", grammar=Const("einops"))
TABLE.add("einops.pack", packing.pack, "tensors:xs, pattern")
TABLE.add("einops.unpack", packing.unpack, "tensor:x, packed_shapes:shapes, pattern")
TABLE.add("einops.parse_shape", packing.parse_shape, "x, pattern")
