"""ATN302: weights summed by themselves over the axis that softmax has normalised."""

import numpy
import pytest
import torch

from attncheck.engine import check_source
from attncheck.settings import Settings

TORCH = """import torch
import torch.nn.functional as F


def attend(queries, keys):
    \"\"\"queries (B, T_dec, d), keys (B, T_enc, d).\"\"\"
    scores = queries @ keys.transpose(1, 2)
    weights = {softmax}
    context = weights @ keys
    {use}
"""
SOFTMAX = "torch.softmax(scores, dim=-1)"
NUMPY = """import numpy as np


def attend(queries, keys):
    \"\"\"queries (B, T_dec, d), keys (B, T_enc, d).\"\"\"
    scores = queries @ keys.swapaxes(1, 2)
    e = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights = {softmax}
    covered = {covered}
    return weights @ keys, np.log(np.minimum(covered, 1.0)).sum(axis=-1)
"""
BY_HAND = "e / e.sum(axis=-1, keepdims=True)"


def found(code):
    """(code, line, fix) of every finding but notes."""
    findings = check_source(code.encode(), "x.py", Settings()).findings
    return [
        (each.code, each.span.line, each.fix and each.fix.line)
        for each in findings
        if each.severity != "note"
    ]


def attention(use, softmax=SOFTMAX):
    return TORCH.format(use=use, softmax=softmax)


@pytest.mark.parametrize(
    ("use", "mended"),
    [
        (
            "return context, weights.sum(-1).clamp(max=1.0).log().sum(-1)",
            "return context, weights.sum(1).clamp(max=1.0).log().sum(-1)",
        ),
        (
            "return context, torch.log(torch.sum(weights, dim=2)).sum(-1)",
            "return context, torch.log(torch.sum(weights, dim=1)).sum(-1)",
        ),
        (
            "return context.mean() + ((1 - weights.sum(dim=2)) ** 2).mean()",
            "return context.mean() + ((1 - weights.sum(dim=1)) ** 2).mean()",
        ),
        (
            "return context.mean() + (1.0 - weights.sum(dim=-1)).square().mean()",
            "return context.mean() + (1.0 - weights.sum(dim=1)).square().mean()",
        ),
    ],
)
def test_a_measure_of_what_is_always_one(use, mended):
    assert found(attention(use)) == [("ATN302", 10, mended)]
    assert found(attention(mended)) == []


@pytest.mark.parametrize(
    "softmax",
    [
        "F.softmax(scores, 2)",
        "scores.softmax(-1)",
        "torch.exp(scores - torch.logsumexp(scores, dim=-1, keepdim=True))",
        "F.softmax(scores, -1).detach()",
        "F.softmax(scores, -1).transpose(1, 2).transpose(1, 2)",
    ],
)
def test_softmaxes(softmax):
    code = attention("return context, weights.sum(2).log()", softmax)
    assert found(code) == [("ATN302", 10, "return context, weights.sum(1).log()")]


def test_what_the_finding_says():
    code = attention("return context, weights.sum(2).log()")
    (finding,) = check_source(code.encode(), "x.py", Settings()).findings
    assert finding.severity == "error"
    assert finding.message == (
        "`weights.sum(2)` sums the weights over the axis that softmax normalised (T_enc): that"
        " gives 1, whatever is attended to, and the logarithm or the penalty that is made of"
        " it is a constant"
    )
    assert finding.tensor.name == "weights"
    assert finding.tensor.shape == ("B", "T_dec", "T_enc")
    assert finding.fix.applicability == "unsafe"


def test_weights_of_each_step_stacked():
    code = (
        "import torch\n\n\n"
        "def decode(states, keys):\n"
        '    """states (B, T_dec, d), keys (B, T_enc, d)."""\n'
        "    steps = []\n"
        "    for t in range(states.shape[1]):\n"
        "        scores = torch.einsum('bd,btd->bt', states[:, t], keys)\n"
        "        steps.append(torch.softmax(scores, dim=1))\n"
        "    weights = torch.stack(steps, dim=1)\n"
        "    return weights @ keys, weights.sum({}).clamp(max=1).log().sum(-1)\n"
    )
    mended = "return weights @ keys, weights.sum(1).clamp(max=1).log().sum(-1)"
    assert found(code.format(2)) == [("ATN302", 11, mended)]
    assert found(code.format(1)) == []


@pytest.mark.parametrize(
    ("softmax", "told"),
    [
        (BY_HAND, True),
        ("e / np.sum(e, axis=2)[..., None]", True),
        # What is divided is not what was summed.
        ("e * (scores > 0) / e.sum(axis=-1, keepdims=True)", False),
    ],
)
def test_softmaxes_by_hand(softmax, told):
    code = NUMPY.format(softmax=softmax, covered="weights.sum(axis=2)")
    assert found(code) == ([("ATN302", 9, "covered = weights.sum(axis=1)")] if told else [])


@pytest.mark.parametrize(
    "use",
    [
        # Normalised again, checked, shown, or masked before.
        "return (weights / weights.sum(-1, keepdim=True)).log()",
        "return weights / (weights.sum(-1, keepdim=True) + 1e-9).clamp(min=1e-6), context.log()",
        "assert torch.allclose(weights.sum(-1), torch.ones(())); return context",
        "print(weights.sum(-1)); return context",
        "print((weights.sum(-1) - 1).abs().max()); return context",
        "return context, weights.sum(-1) > 0",
        "return context, weights.sum(-1)",
        "return context, (weights * (scores > 0)).sum(-1).log()",
        "return context, weights.masked_fill(scores > 0, 0.0).sum(-1).log()",
        "return context, F.dropout(weights, 0.1).sum(-1).log()",
        "return context, weights[..., 1:].sum(-1).log()",
        "return context, (weights * weights.log()).sum(-1)",
        # A logarithm that is made of much else.
        "return (context * weights.sum(-1, keepdim=True)).softmax(-1).log()",
        # Over the steps.
        "return context, weights.sum(1).log()",
        "return context, weights.sum((1, 2)).log()",
    ],
)
def test_sums_that_are_left_alone(use):
    assert found(attention(use)) == []


def test_the_penalty_is_constant_before_the_fix():
    def run(over, queries, keys):
        scope = {}
        exec(attention(f"return weights.sum({over}).clamp(max=1.0).log().sum(-1)"), scope)
        return scope["attend"](queries, keys)

    torch.manual_seed(0)
    queries, keys = torch.randn(2, 3, 4), torch.randn(2, 5, 4)
    assert torch.allclose(run(2, queries, keys), torch.zeros(2), atol=1e-5)
    assert (run(1, queries, keys) < -0.1).all()


def test_numpy_agrees():
    def run(axis):
        scope = {}
        exec(NUMPY.format(softmax=BY_HAND, covered=f"weights.sum(axis={axis})"), scope)
        rng = numpy.random.default_rng(0)
        return scope["attend"](rng.normal(size=(2, 3, 4)), rng.normal(size=(2, 5, 4)))[1]

    assert numpy.allclose(run(2), 0.0)
    assert (run(1) < -0.1).all()
