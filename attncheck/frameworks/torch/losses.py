"""torch's losses and distances."""

from __future__ import annotations

from attncheck.frameworks.spelling import Table
from attncheck.operators import losses

TABLE = Table("torch")

_PAIR = "input:x, target:y"
_OLD = "size_average=None, reduce=None, reduction=mean"

#: Name -> (operator, parameters).
_LOSSES = {
    "mse_loss": (losses.elementwise, f"{_PAIR}, {_OLD}, weight=None"),
    "l1_loss": (losses.elementwise, f"{_PAIR}, {_OLD}, weight=None"),
    "smooth_l1_loss": (losses.elementwise, f"{_PAIR}, {_OLD}, beta=1.0"),
    "huber_loss": (losses.elementwise, f"{_PAIR}, reduction=mean, delta=1.0, weight=None"),
    "kl_div": (losses.elementwise, f"{_PAIR}, {_OLD}, log_target=False"),
    "poisson_nll_loss": (
        losses.elementwise,
        f"{_PAIR}, log_input=True, full=False, size_average=None, eps=1e-8, reduce=None, "
        "reduction=mean",
    ),
    "binary_cross_entropy": (losses.same_size, f"{_PAIR}, weight=None, {_OLD}"),
    "binary_cross_entropy_with_logits": (
        losses.same_size,
        f"{_PAIR}, weight=None, {_OLD}, pos_weight=None",
    ),
    "cross_entropy": (
        losses.classes,
        f"{_PAIR}, weight=None, size_average=None, ignore_index=-100, reduce=None, "
        "reduction=mean, label_smoothing=0.0",
    ),
    "nll_loss": (
        losses.classes,
        f"{_PAIR}, weight=None, size_average=None, ignore_index=-100, reduce=None, reduction=mean",
    ),
    "pairwise_distance": (losses.pairwise, "x1:x, x2:y, p=2.0, eps=1e-6, keepdim:keepdims=False"),
}
for _name, (_operator, _parameters) in _LOSSES.items():
    TABLE.add(f"torch.nn.functional.{_name}", _operator, _parameters)
TABLE.add("torch.pairwise_distance", *_LOSSES["pairwise_distance"])
TABLE.add(
    "torch.nn.functional.cosine_similarity torch.cosine_similarity",
    losses.similarity,
    "x1:x, x2:y, dim:axis=1, eps=1e-8",
)
TABLE.add("torch.cdist", losses.distances, "x1:x, x2:y, p=2.0")
