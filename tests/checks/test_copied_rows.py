"""ATN106: states copied along the batch beside a memory that has an axis of positions."""

import pytest

from attncheck.engine import check_source
from attncheck.settings import Settings

CODE = """import numpy as np
import jax.numpy as jnp
import torch
from keras import ops
def score(memory: "{array}", w):
    B, T, d = memory.shape
    state = memory.{mean}
    tiled = {tiled}
    return {joined}
"""
TORCH = ("torch.Tensor", "mean(1)", "torch.cat([tiled, memory], dim=-1)")
NUMPY = ("np.ndarray", "mean(1)", "np.concatenate([memory, tiled], axis=-1)")
JAX = ("jnp.ndarray", "mean(1)", "jnp.concatenate([tiled, memory], axis=-1)")


def found(kind, tiled):
    array, mean, joined = kind
    code = CODE.format(array=array, mean=mean, tiled=tiled, joined=joined)
    findings = check_source(code.encode(), "x.py", Settings()).findings
    return [(each.code, each.line, each.tensor, each.expected, each.fix) for each in findings]


@pytest.mark.parametrize(
    ("kind", "tiled", "fixed"),
    [
        (
            TORCH,
            "state.repeat_interleave(T, dim=0)",
            "state.unsqueeze(1).repeat_interleave(T, dim=1)",
        ),
        (
            TORCH,
            "torch.repeat_interleave(state, T, 0)",
            "torch.repeat_interleave(state.unsqueeze(1), T, 1)",
        ),
        (NUMPY, "np.repeat(state, T, axis=0)", "np.repeat(state[:, None, :], T, axis=1)"),
        (JAX, "jnp.repeat(state, T, axis=0)", "jnp.repeat(state[:, None, :], T, axis=1)"),
    ],
)
def test_copies_get_an_axis_of_their_own(kind, tiled, fixed):
    ((code, line, tensor, expected, fix),) = found(kind, tiled)
    assert (code, line, tensor.name, tensor.shape) == ("ATN106", 9, "tiled", ("B*T", "d"))
    assert expected.shape == ("B", "T", "d")
    assert fix.line == f"tiled = {fixed}"
    assert found(kind, fixed) == []


@pytest.mark.parametrize(
    "tiled",
    [
        "state.repeat_interleave(T, dim=0).view(B, T, d)",
        "state.unsqueeze(1).repeat(1, T, 1)",
        "memory.repeat_interleave(1, dim=0)",
    ],
)
def test_copies_that_fit(tiled):
    assert found(TORCH, tiled) == []
