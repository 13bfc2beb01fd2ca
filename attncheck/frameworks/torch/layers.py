"""Layer classes of torch.nn whose call is one operation: projections, activations, dropout."""

from __future__ import annotations

from attncheck.frameworks.spelling import Table
from attncheck.operators import attention, layers

TABLE = Table("torch")

TABLE.add_layer(
    "torch.nn.Linear",
    layers.linear_layer,
    "in_features, out_features, bias:has_bias=True, device=None, dtype=None",
    weights={"weight": "out_features in_features", "bias": "out_features"},
)
TABLE.add_layer("torch.nn.Dropout", layers.same_shape, "p=0.5, inplace=False")
TABLE.add_layer(
    "torch.nn.LayerNorm",
    attention.layer_norm,
    "normalized_shape:sizes, eps=1e-5, elementwise_affine=True, bias:has_bias=True, device=None, "
    "dtype=None",
)
