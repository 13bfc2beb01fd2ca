"""torch's losses and distances, as functions and as layers."""

from __future__ import annotations

from attncheck.frameworks.spelling import Table
from attncheck.operators import losses
from attncheck.values.value import TRUE, Const

TABLE = Table("torch")

_PAIR = "input:x, target:y"
_TWO = "input1:x, input2:y, target:z"
_VECTORS = "x1:x, x2:y"
_OLD = "size_average=None, reduce=None, reduction=mean"
_COUNTED = "weight=None, size_average=None, ignore_index=-100, reduce=None, reduction=mean"

#: Function -> (layer, operator, what is compared, the parameters that both take).
_LOSSES = {
    "mse_loss": ("MSELoss", losses.elementwise, _PAIR, _OLD),
    "l1_loss": ("L1Loss", losses.elementwise, _PAIR, _OLD),
    "smooth_l1_loss": ("SmoothL1Loss", losses.elementwise, _PAIR, f"{_OLD}, beta=1.0"),
    "huber_loss": ("HuberLoss", losses.elementwise, _PAIR, "reduction=mean, delta=1.0"),
    "kl_div": ("KLDivLoss", losses.elementwise, _PAIR, f"{_OLD}, log_target=False"),
    "poisson_nll_loss": (
        "PoissonNLLLoss",
        losses.elementwise,
        _PAIR,
        "log_input=True, full=False, size_average=None, eps=1e-8, reduce=None, reduction=mean",
    ),
    "hinge_embedding_loss": (
        "HingeEmbeddingLoss",
        losses.elementwise,
        _PAIR,
        f"margin=1.0, {_OLD}",
    ),
    "margin_ranking_loss": ("MarginRankingLoss", losses.elementwise, _TWO, f"margin=0.0, {_OLD}"),
    "binary_cross_entropy": ("BCELoss", losses.same_size, _PAIR, f"weight=None, {_OLD}"),
    "binary_cross_entropy_with_logits": (
        "BCEWithLogitsLoss",
        losses.same_size,
        _PAIR,
        f"weight=None, {_OLD}, pos_weight=None",
    ),
    "cross_entropy": (
        "CrossEntropyLoss",
        losses.classes,
        _PAIR,
        f"{_COUNTED}, label_smoothing=0.0",
    ),
    "nll_loss": ("NLLLoss", losses.classes, _PAIR, _COUNTED),
    "cosine_embedding_loss": (
        "CosineEmbeddingLoss",
        losses.cosine_embedding,
        _TWO,
        f"margin=0.0, {_OLD}",
    ),
    "triplet_margin_loss": (
        "TripletMarginLoss",
        losses.triplet,
        "anchor:x, positive:y, negative:z",
        f"margin=1.0, p=2.0, eps=1e-6, swap=False, {_OLD}",
    ),
    "pairwise_distance": (
        "PairwiseDistance",
        losses.pairwise,
        _VECTORS,
        "p=2.0, eps=1e-6, keepdim:keepdims=False",
    ),
    "cosine_similarity": ("CosineSimilarity", losses.similarity, _VECTORS, "dim:axis=1, eps=1e-8"),
}
#: Functions that take weights which their layers have no parameter for.
_WEIGHTED = ("mse_loss", "l1_loss", "huber_loss")

for _name, (_layer, _operator, _compared, _rest) in _LOSSES.items():
    _fixed = {"kind": Const(_name)}
    if _name == "margin_ranking_loss":
        _fixed["same_rank"] = TRUE
    _more = ", weight=None" if _name in _WEIGHTED else ""
    TABLE.add(f"torch.nn.functional.{_name}", _operator, f"{_compared}, {_rest}{_more}", **_fixed)
    TABLE.add_layer(f"torch.nn.{_layer}", _operator, _rest, _compared, None, **_fixed)
for _name in ("pairwise_distance", "cosine_similarity"):
    _, _operator, _compared, _rest = _LOSSES[_name]
    TABLE.add(f"torch.{_name}", _operator, f"{_compared}, {_rest}")
TABLE.add("torch.cdist", losses.distances, "x1:x, x2:y, p=2.0")
