"""The layers of einops for torch: its functions with the pattern given beforehand."""

from __future__ import annotations

from attncheck.frameworks.spelling import Table
from attncheck.operators import rearranging

TABLE = Table("einops")

TABLE.add_layer(
    "einops.layers.torch.Rearrange",
    rearranging.rearrange,
    "pattern, **axes_lengths:lengths",
)
TABLE.add_layer(
    "einops.layers.torch.Reduce",
    rearranging.reduce_named,
    "pattern, reduction, **axes_lengths:lengths",
)
