"""torch's normalisations, as layers and as functions."""

from __future__ import annotations

from attncheck.algebra.size import const
from attncheck.frameworks.spelling import Table
from attncheck.operators import normalising
from attncheck.values.value import FALSE, Int, Sequence

TABLE = Table("torch")

_OPTIONS = "device=None, dtype=None"

# Over the last axes.
TABLE.add_layer(
    "torch.nn.LayerNorm",
    normalising.layer_norm,
    f"normalized_shape:sizes, eps=1e-5, elementwise_affine:affine=True, bias:has_bias=True, "
    f"{_OPTIONS}",
    weights={"weight": "*sizes if affine", "bias": "*sizes if affine and has_bias"},
)
TABLE.add_layer(
    "torch.nn.RMSNorm",
    normalising.layer_norm,
    f"normalized_shape:sizes, eps=None, elementwise_affine:affine=True, {_OPTIONS}",
    weights={"weight": "*sizes if affine"},
)
TABLE.add(
    "torch.nn.functional.layer_norm",
    normalising.layer_norm,
    "input:x, normalized_shape:sizes, weight=None, bias=None, eps=1e-5",
)
TABLE.add(
    "torch.nn.functional.rms_norm",
    normalising.layer_norm,
    "input:x, normalized_shape:sizes, weight=None, eps=None",
)
TABLE.add(
    "torch.nn.functional.normalize",
    normalising.normalize,
    "input:x, p=2, dim:axis=1, eps=1e-12, out=None",
)

# By channel.
_OWN = {"weight": "channels if affine", "bias": "channels if affine"}
_STATISTICS = {
    "running_mean": "channels if tracked",
    "running_var": "channels if tracked",
}
_FOLLOWED = "eps=1e-5, momentum=0.1"
TABLE.add_layer(
    "torch.nn.GroupNorm",
    normalising.group_norm,
    f"num_groups:groups, num_channels:channels, eps=1e-5, affine=True, {_OPTIONS}",
    weights=_OWN,
    tracked=FALSE,
)
TABLE.add(
    "torch.nn.functional.group_norm",
    normalising.group_norm,
    "input:x, num_groups:groups, weight=None, bias=None, eps=1e-5",
)
_MADE = f"num_features:channels, {_FOLLOWED}, affine=%s, track_running_stats:tracked=%s, {_OPTIONS}"
for _spatial in (1, 2, 3):
    _batched, _single = Int(const(_spatial + 2)), Int(const(_spatial + 1))
    _either = Sequence((_single, _batched))
    TABLE.add_layer(
        f"torch.nn.BatchNorm{_spatial}d",
        normalising.batch_norm,
        _MADE % (True, True),
        weights=_OWN | _STATISTICS,
        ranks=_either if _spatial == 1 else Sequence((_batched,)),
    )
    TABLE.add_layer(
        f"torch.nn.InstanceNorm{_spatial}d",
        normalising.instance_norm,
        _MADE % (False, False),
        weights=_OWN | _STATISTICS,
        ranks=_either,
        spatial=Int(const(_spatial)),
    )
_GIVEN = "running_mean:mean, running_var:variance, weight=None, bias=None"
TABLE.add(
    "torch.nn.functional.batch_norm",
    normalising.batch_norm,
    f"input:x, {_GIVEN}, training=False, momentum=0.1, eps=1e-5",
)
TABLE.add(
    "torch.nn.functional.instance_norm",
    normalising.instance_norm,
    "input:x, running_mean:mean=None, running_var:variance=None, weight=None, bias=None, "
    "use_input_stats=True, momentum=0.1, eps=1e-5",
)
_NEIGHBOURS = "size, alpha=1e-4, beta=0.75, k=1.0"
TABLE.add_layer("torch.nn.LocalResponseNorm", normalising.local_response_norm, _NEIGHBOURS)
TABLE.add(
    "torch.nn.functional.local_response_norm",
    normalising.local_response_norm,
    f"input:x, {_NEIGHBOURS}",
)
