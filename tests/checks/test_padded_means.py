"""ATN503: means over positions that divide by padding, and means that may."""

import pytest

torch = pytest.importorskip("torch")

from attncheck.engine import check_source  # noqa: E402
from attncheck.settings import Settings  # noqa: E402

MODULE = """import torch
import torch.nn as nn
import torch.nn.functional as F

class Tower(nn.Module):
    def __init__(self, words, d):
        super().__init__()
        self.table = nn.Embedding(words, d, padding_idx=0)
        self.mix, self.norm = nn.Linear(d, d), nn.LayerNorm(d)
        self.gru = nn.GRU(d, d, batch_first=True)

    def forward(self, tokens):
        mask = tokens.ne(0).unsqueeze(-1).float()
        real = tokens != 0
        x = {states}
        {body}
"""
STATES = ["self.gru(self.table(tokens))[0]", "torch.tanh(self.mix(self.table(tokens)))"]


def found(body, states=STATES[0]):
    code = MODULE.format(body=body, states=states)
    findings = check_source(code.encode(), "x.py", Settings()).findings
    return [(each.code, each.line, each.severity, each.fix and each.fix.line) for each in findings]


def pooled(body, tokens):
    namespace = {}
    exec(MODULE.format(body=body, states=STATES[0]), namespace)
    torch.manual_seed(0)
    return namespace["Tower"](9, 4)(tokens)


@pytest.mark.parametrize("states", STATES)
@pytest.mark.parametrize(
    ("body", "fix"),
    [
        ("return (x * mask).mean(dim=1)", "return (x * mask).sum(dim=1) / mask.sum(dim=1)"),
        ("return (mask * x).mean(1)", "return (mask * x).sum(1) / mask.sum(1)"),
        ("return (x * mask).mean(-2)", "return (x * mask).sum(-2) / mask.sum(-2)"),
        (
            "return torch.mean(x * real[..., None], dim=1)",
            "return torch.sum(x * real[..., None], dim=1) / real[..., None].sum(dim=1)",
        ),
        (
            "return self.mix((x * mask).mean(1, keepdim=True))",
            "return self.mix((x * mask).sum(1, keepdim=True) / mask.sum(1, keepdim=True))",
        ),
        (
            "return 1 - (x * mask).mean(1)",
            "return 1 - ((x * mask).sum(1) / mask.sum(1))",
        ),
    ],
)
def test_means_that_count_padding(body, fix, states):
    assert found(body, states) == [("ATN503", 16, "warning", fix)]
    assert found(fix, states) == []
    short, long = torch.tensor([[1, 2, 0]]), torch.tensor([[1, 2, 0, 0, 0, 0]])
    assert torch.allclose(pooled(fix, short), pooled(fix, long), atol=1e-6)
    assert not torch.allclose(pooled(body, short), pooled(body, long), atol=1e-3)


@pytest.mark.parametrize(
    "body",
    [
        "return x.masked_fill(~real.unsqueeze(-1), 0.0).mean(dim=1)",
        "return torch.where(real[:, :, None], x, 0.0).mean(dim=1)",
        "x = x * mask\n        return x.mean(dim=1)",
    ],
)
def test_states_that_are_masked_before(body):
    ((code, _, severity, _),) = found(body)
    assert (code, severity) == ("ATN503", "warning")


@pytest.mark.parametrize(
    "body",
    [
        # divided by the share that is kept, or multiplied by what it takes
        "return (x * mask).mean(1) / mask.mean(1)",
        "return (x * mask).mean(1) * (tokens.shape[1] / mask.sum(1))",
        "pooled = (x * mask).mean(dim=1)\n"
        "        return pooled / pooled.norm(dim=-1, keepdim=True)",
        # a vector's length does not count
        "return F.normalize((x * mask).mean(dim=1), dim=-1)",
        "return self.norm((x * mask).mean(dim=1))",
        "return F.cosine_similarity((x * mask).mean(1), x[:, 0], dim=-1)",
        # over the features, over all there is, and over the batch
        "return (x * mask).mean(dim=-1)",
        "return (x * mask).mean()",
        "return (x * mask).mean(dim=(0, 1))",
        # the share of the positions in a loss
        "return ((x - 1).pow(2) * mask).mean(dim=1)",
        # the padding itself
        "return (x * (1 - mask)).mean(1)",
        # a gate for each feature
        "return (x * torch.sigmoid(self.mix(x))).mean(1)",
        "return (x * real[:, :1, None]).mean(1)",
        "return x.mean(1)",
        "return F.dropout(x).mean(1)",
    ],
)
def test_other_means(body):
    assert found(body) == []


def test_a_mask_of_which_only_the_name_tells():
    code = """import torch
def pool(model, x, mask):
    x = torch.nn.functional.linear(x, model.weight)
    return (x * mask.unsqueeze(-1)).mean(1)
"""
    assert check_source(code.encode(), "x.py", Settings()).findings == ()


@pytest.mark.parametrize(
    ("library", "body", "fix"),
    [
        (
            "numpy",
            "(h * keep[:, :, None]).mean(axis=1)",
            "(h * keep[:, :, None]).sum(axis=1) / keep[:, :, None].sum(axis=1)",
        ),
        (
            "jax.numpy",
            "np.mean(h * keep[:, :, None], axis=1)",
            "np.sum(h * keep[:, :, None], axis=1) / keep[:, :, None].sum(axis=1)",
        ),
    ],
)
def test_other_libraries(library, body, fix):
    code = f"""
import {library} as np
def pool(x, W, lengths):
    # x (B, T, d), W (d, e), lengths (B,)
    keep = np.arange(x.shape[1]) < lengths[:, None]
    h = np.tanh(x @ W)
    return {body}
"""
    (finding,) = check_source(code.encode(), "x.py", Settings()).findings
    assert (finding.code, finding.line) == ("ATN503", 7)
    assert finding.fix.line == f"return {fix}"
