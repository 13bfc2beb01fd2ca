"""ATN302: masked means over the positions that divide by the count of a whole batch."""

import pytest

torch = pytest.importorskip("torch")

from attncheck.engine import check_source  # noqa: E402
from attncheck.settings import Settings  # noqa: E402

MODULE = """import torch
import torch.nn as nn

class Encoder(nn.Module):
    def __init__(self, words, d):
        super().__init__()
        self.table, self.mix = nn.Embedding(words, d), nn.Linear(d, d)

    def forward(self, tokens):
        B, T = tokens.shape
        mask = (tokens != 0).float()
        states = self.mix(self.table(tokens))
        {body}
"""
SUMMED = "(states * mask.unsqueeze(-1)).sum(1)"


def found(body):
    code = MODULE.format(body=body)
    findings = check_source(code.encode(), "x.py", Settings()).findings
    return [(each.code, each.line, each.fix and each.fix.line) for each in findings]


def pooled(body, tokens):
    namespace = {}
    exec(MODULE.format(body=body), namespace)
    torch.manual_seed(0)
    return namespace["Encoder"](9, 4)(tokens)


@pytest.mark.parametrize(
    ("body", "fix"),
    [
        (f"return {SUMMED} / mask.sum()", f"return {SUMMED} / mask.sum(dim=1, keepdim=True)"),
        (
            "return (states * mask[:, :, None]).sum(dim=1) / mask.sum()",
            "return (states * mask[:, :, None]).sum(dim=1) / mask.sum(dim=1, keepdim=True)",
        ),
        (
            "return (mask[..., None] * states).sum(1) / torch.sum(mask)",
            "return (mask[..., None] * states).sum(1) / torch.sum(mask, dim=1, keepdim=True)",
        ),
    ],
)
def test_means_that_depend_on_the_other_sequences(body, fix):
    assert found(body) == [("ATN302", 13, fix)]
    assert found(fix) == []
    one, both = torch.tensor([[1, 2, 0]]), torch.tensor([[1, 2, 0], [3, 4, 5]])
    assert torch.allclose(pooled(fix, both)[:1], pooled(fix, one), atol=1e-6)
    assert not torch.allclose(pooled(body, both)[:1], pooled(body, one), atol=1e-3)


@pytest.mark.parametrize(
    "body",
    [
        f"return {SUMMED} / mask.sum(1, keepdim=True)",
        f"return {SUMMED} / mask.sum(1).unsqueeze(-1)",
        # A loss over the words of all sequences, which are added up in the end.
        "loss = states.pow(2).mean(-1)\n        return ((loss * mask).sum(1) / mask.sum()).sum()",
        "return (states * mask.unsqueeze(-1)).sum() / mask.sum()",
        "return (states * mask.unsqueeze(-1)).sum(0) / mask.sum()",
    ],
)
def test_other_means(body):
    assert found(body) == []
