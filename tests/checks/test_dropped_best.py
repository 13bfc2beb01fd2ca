"""ATN502: sparse attention that hides the best scores, and code that hides them on purpose."""

import pytest

from attncheck.engine import check_source
from attncheck.settings import Settings

TORCH = """import torch
def attend(q, k, v, n, pad: torch.Tensor):
    s = torch.einsum("bqd,bkd->bqk", q, k)
    {ranked}
    {used}
    return s.softmax(-1) @ v
"""
NUMPY = """import numpy as np
def attend(q, k, v, n=4):
    s = np.einsum("bqd,bkd->bqk", q, k)
    {ranked}
    {used}
    s = np.exp(s - s.max(-1, keepdims=True))
    return s / s.sum(-1, keepdims=True) @ v
"""
JAX = """import jax
import jax.numpy as jnp
def attend(q, k, v, n):
    s = jnp.einsum("bqd,bkd->bqk", q, k)
    {ranked}
    {used}
    return jax.nn.softmax(s, axis=-1) @ v
"""
TOP = "t = s.topk(n, dim=-1).values[..., -1:]"
INF = "-torch.inf"


def found(ranked, used, code=TORCH):
    code = code.format(ranked=ranked, used=used)
    findings = check_source(code.encode(), "x.py", Settings()).findings
    return [
        (each.code, each.severity, each.fix and each.fix.line)
        for each in findings
        if each.code != "ATN505"
    ]


@pytest.mark.parametrize(
    ("ranked", "used", "fixed"),
    [
        (TOP, f"s = s.masked_fill(s >= t, {INF})", f"s = s.masked_fill(s < t, {INF})"),
        (TOP, f"s = s.masked_fill(s > t, {INF})", f"s = s.masked_fill(s < t, {INF})"),
        (TOP, f"s = s.masked_fill(t <= s, {INF})", f"s = s.masked_fill(t > s, {INF})"),
        (TOP, "s = s.masked_fill(~(s < t), -1e9)", "s = s.masked_fill(s < t, -1e9)"),
        (TOP, f"s = torch.where(s < t, s, {INF})", f"s = torch.where(s >= t, s, {INF})"),
        (TOP, f"s = torch.where(s >= t, {INF}, s)", f"s = torch.where(s < t, {INF}, s)"),
        (TOP, f"s[s >= t] = {INF}", f"s[s < t] = {INF}"),
        (
            "t = torch.topk(s, n)[0][:, :, -1].unsqueeze(-1)",
            "s = s.masked_fill(s.detach() >= t, torch.finfo(s.dtype).min)",
            "s = s.masked_fill(s.detach() < t, torch.finfo(s.dtype).min)",
        ),
        (
            "top, _ = s.topk(n)",
            f"s = s.masked_fill(s >= top[..., -1, None], {INF})",
            f"s = s.masked_fill(s < top[..., -1, None], {INF})",
        ),
        (
            "top, _ = s.topk(n, largest=False)",
            f"s = s.masked_fill(s > top.amax(-1, keepdim=True), {INF})",
            None,
        ),
        (
            "t = s.topk(n).values.min(dim=-1, keepdim=True).values",
            f"s = s.masked_fill(s >= t, {INF})",
            f"s = s.masked_fill(s < t, {INF})",
        ),
        (
            "t = s.sort(dim=-1, descending=True).values[..., 7:8]",
            f"s = s.masked_fill(s >= t, {INF})",
            f"s = s.masked_fill(s < t, {INF})",
        ),
        (
            "t = s.mean(-1, keepdim=True)",
            f"s = s.masked_fill(s > t, {INF})",
            f"s = s.masked_fill(s < t, {INF})",
        ),
        (
            TOP,
            f"s = s.masked_fill(pad, {INF}).masked_fill(s >= t, {INF})",
            f"s = s.masked_fill(pad, {INF}).masked_fill(s < t, {INF})",
        ),
    ],
)
def test_the_best_are_hidden(ranked, used, fixed):
    expected = [] if fixed is None else [("ATN502", "warning", fixed)]
    assert found(ranked, used) == expected
    if fixed is not None:
        assert found(ranked, fixed) == []


def test_one_of_several_masks():
    ((code, severity, _),) = found(TOP, f"s = s.masked_fill(pad | (s >= t), {INF})")
    assert (code, severity) == ("ATN502", "warning")
    assert found(TOP, f"s = s.masked_fill(pad | (s < t), {INF})") == []
    # what is hidden by both masks only may be the best of what is padding
    assert found(TOP, f"s = s.masked_fill(pad & (s >= t), {INF})") == []


@pytest.mark.parametrize(
    ("code", "ranked", "used", "fixed"),
    [
        (
            NUMPY,
            "t = np.sort(s, axis=-1)[..., -n, None]",
            "s = np.where(s >= t, -1e9, s)",
            "s = np.where(s < t, -1e9, s)",
        ),
        (
            NUMPY,
            "t = np.partition(s, -n, axis=-1)[..., -n][..., None]",
            "s = np.where(s < t, s, -np.inf)",
            "s = np.where(s >= t, s, -np.inf)",
        ),
        (
            JAX,
            "t, _ = jax.lax.top_k(s, n)",
            "s = jnp.where(s < t[..., -1:], s, -jnp.inf)",
            "s = jnp.where(s >= t[..., -1:], s, -jnp.inf)",
        ),
    ],
)
def test_other_libraries(code, ranked, used, fixed):
    assert found(ranked, used, code) == [("ATN502", "warning", fixed)]
    assert found(ranked, fixed, code) == []


@pytest.mark.parametrize(
    ("ranked", "used"),
    [
        # the largest alone: how far the second is behind it, for a margin
        ("t = s.topk(1).values[..., :1]", f"s = s.masked_fill(s >= t, {INF})"),
        ("t = s.amax(-1, keepdim=True)", f"s = s.masked_fill(s >= t, {INF})"),
        ("t = s.sort(-1).values[..., -1:]", f"s = s.masked_fill(s >= t, {INF})"),
        # what another tensor ranks is no bound of these
        ("t = (q @ q.mT).topk(n).values[..., -1:]", f"s = s.masked_fill(s >= t, {INF})"),
        # far outliers
        (
            "t = s.mean(-1, keepdim=True) + 3 * s.std(-1, keepdim=True)",
            f"s = s.masked_fill(s > t, {INF})",
        ),
        # the k-th itself is left out: k - 1 are kept
        (TOP, f"s = s.masked_fill(s <= t, {INF})"),
        # capped, not hidden
        (TOP, "s = torch.where(s >= t, t, s)"),
        # places, not scores
        ("t = s.topk(n).indices[..., -1:]", f"s = s.masked_fill(s >= t, {INF})"),
        # a first look at the best, and a second at what is left
        (TOP, f"v = v + s.softmax(-1) @ v\n    s = s.masked_fill(s >= t, {INF})"),
    ],
)
def test_what_is_left_alone(ranked, used):
    assert found(ranked, used) == []


def test_distances_have_the_least_for_the_best():
    ranked = "d = torch.cdist(q, k)\n    t = d.topk(n, largest=False).values[..., -1:]\n    s = -d"
    assert found(ranked, f"s = s.masked_fill(d > t, {INF})") == []
    assert found(ranked.replace("s = -d", "s = d * -n"), f"s[d > t] = {INF}") == []


def test_negatives_that_are_too_close_are_left_out_of_a_loss():
    code = """import torch
def loss(x, y, n):
    s = torch.einsum("id,jd->ij", x, y)
    t = s.topk(n, dim=-1).values[..., -1:]
    s = s.masked_fill(s >= t, -torch.inf)
    return -s.log_softmax(-1).diagonal().mean()
"""
    assert check_source(code.encode(), "x.py", Settings()).findings == ()
