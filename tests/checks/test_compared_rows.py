"""ATN501: masks of packed documents that compare sequences where positions are to be compared."""

import pytest

from attncheck.engine import check_source
from attncheck.settings import Settings


def found(code):
    """(code, line, fixed line) of every finding but notes."""
    findings = check_source(code.encode(), "x.py", Settings()).findings
    return [
        (each.code, each.line, each.fix and each.fix.line)
        for each in findings
        if each.severity != "note"
    ]


JAX = """import jax.numpy as jnp
def mask(ids):
    B, T = ids.shape
    same = {}
    causal = jnp.tril(jnp.ones((ids.shape[1],) * 2, bool))
    return {}
"""
TORCH = """import torch
def attend(q, k, v, ids: torch.Tensor):
    B, T = ids.shape
    same = {}
    causal = torch.ones(T, T, dtype=torch.bool).tril()
    return {}
"""
BESIDE = "same & causal"


@pytest.mark.parametrize(
    ("head", "wrong", "fixed", "line"),
    [
        (JAX, "ids[:, None, :] == ids[None, :, :]", "ids[:, None, :] == ids[:, :, None]", 4),
        (JAX, "ids[None, :, :] == ids[:, None, :]", "ids[:, :, None] == ids[:, None, :]", 4),
        (JAX, "ids[:, None] == ids[None]", "ids[:, None] == ids[:, :, None]", 4),
        (TORCH, "ids[:, None, :] != ids[None, :, :]", "ids[:, None, :] != ids[:, :, None]", 4),
        (TORCH, "ids.unsqueeze(1) == ids.unsqueeze(0)", "ids.unsqueeze(1) == ids.unsqueeze(2)", 4),
        (TORCH, "ids[:, None] == ids.unsqueeze(0)", "ids[:, None] == ids.unsqueeze(2)", 4),
    ],
)
@pytest.mark.parametrize(
    "use", [BESIDE, "causal & same", "(same | ~causal)", "same[:, None] & causal"]
)
def test_sequences_compared_with_each_other(head, wrong, fixed, line, use):
    assert found(head.format(wrong, use)) == [("ATN501", line, f"same = {fixed}")]
    assert found(head.format(fixed, use)) == []


def test_the_message():
    code = JAX.format("ids[:, None, :] == ids[None, :, :]", BESIDE)
    (finding,) = check_source(code.encode(), "x.py", Settings()).findings
    assert finding.message == (
        "`ids[:, None, :] == ids[None, :, :]` gives (B, B, T): it compares each"
        " sequence with each other one, position by position, and is used where T positions"
        " meet T; with a batch of 1 the sequence is compared with itself, and nothing is hidden"
        " (hidden while B == 1)"
    )
    assert (finding.tensor.name, finding.severity) == ("same", "error")


@pytest.mark.parametrize(
    ("same", "use"),
    [
        # which sequences are copies of each other
        ("ids[:, None, :] == ids[None, :, :]", "same.all(-1)"),
        ("ids[:, None, :] == ids[None, :, :]", "same.float().mean(-1)"),
        ("ids[:, None, :] == ids[None, :, :]", "same"),
        ("ids[:, None, :] == ids[None, :, :]", "same & (ids > 0)"),
        ("ids[:, None, :] == ids[None, :, :]", "same & ~torch.eye(B, dtype=torch.bool)[..., None]"),
        # positions with positions
        ("ids[:, None, :] == ids[:, :, None]", BESIDE),
        ("ids[0][:, None] == ids[0][None, :]", BESIDE),
        # of another tensor
        ("ids[:, None, :] == torch.relu(ids)[None, :, :]", "same.any(0)"),
        ("ids[:1][:, None, :] == ids[:1][None, :, :]", BESIDE),
    ],
)
def test_comparisons_that_are_meant(same, use):
    assert found(TORCH.format(same, use)) == []
