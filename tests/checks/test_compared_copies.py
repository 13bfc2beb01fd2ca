"""ATN302: cosines over an axis that one side was given to meet the other's positions."""

import pytest

from attncheck.engine import check_source
from attncheck.settings import Settings

HEAD = """import torch
import torch.nn.functional as F
from torch import nn
def address(memory, key, w):
    '''memory (B, N, W), key (B, W), w (B, N)'''
"""


def found(*lines, head=HEAD):
    code = head + "".join(f"    {line}\n" for line in lines)
    return check_source(code.encode(), "x.py", Settings()).findings


@pytest.mark.parametrize(
    ("wrong", "right"),
    [
        ("F.cosine_similarity(memory, key.unsqueeze(1))", None),
        ("F.cosine_similarity(key[:, None], memory, dim=1)", "(key[:, None], memory, dim=-1)"),
        ("torch.cosine_similarity(memory + 1e-8, key.unsqueeze(-2) + 1e-8, -2)", "+ 1e-8, -1)"),
        ("F.cosine_similarity(memory, key.view(-1, 1, key.size(1)))", None),
        ("F.cosine_similarity(memory, memory.mean(1, keepdim=True))", None),
        ("F.cosine_similarity(key[:, None], key[None])", None),
        ("F.cosine_similarity(key[:, None], key[None], dim=0)", "dim=-1)"),
        ("nn.CosineSimilarity()(memory, key.unsqueeze(1))", "nn.CosineSimilarity(dim=-1)(m"),
        ("nn.CosineSimilarity(eps=1e-6)(memory, key.unsqueeze(1))", "eps=1e-6, dim=-1)(memory"),
        ("nn.CosineSimilarity(dim=1, eps=1e-8)(memory, key.unsqueeze(1))", "(dim=-1, eps=1e-8)("),
    ],
)
def test_one_number_repeated(wrong, right):
    (finding,) = found(f"sim = {wrong}", "return torch.softmax(sim, -1)")
    assert (finding.code, finding.severity, finding.line) == ("ATN302", "error", 6)
    assert "has one number, repeated" in finding.message
    assert (right or f"{wrong[:-1]}, dim=-1)") in finding.fix.line
    assert found(finding.fix.line, "return torch.softmax(sim, -1)") == ()


@pytest.mark.parametrize(
    "right",
    [
        "F.cosine_similarity(memory, key.unsqueeze(1), dim=-1)",
        "F.cosine_similarity(memory, key.unsqueeze(1), dim=2)",
        "F.cosine_similarity(key, memory[:, 0])",
        "F.cosine_similarity(key.unsqueeze(1), key.unsqueeze(0), dim=-1)",
        # channels in front
        "F.cosine_similarity(memory.transpose(1, 2), key.unsqueeze(-1))",
        "F.cosine_similarity(memory.mT[..., None], memory.mT[:, :, None])",
        # a filter of one weight for each feature, which is no vector to compare with
        "F.cosine_similarity(memory, w.unsqueeze(-1), dim=1)",
        # of numbers, which are their signs
        "F.cosine_similarity(key.unsqueeze(1), key.unsqueeze(1), dim=1)",
        "F.pairwise_distance(memory, key.unsqueeze(1))",
    ],
)
def test_what_is_right(right):
    assert found(f"return {right}") == ()


def test_of_a_rank_that_nobody_says():
    """What is compared may have fewer axes before it."""
    lines = ("sim = F.cosine_similarity(memory, key.unsqueeze(1))", "return sim.softmax(-1)")
    head = HEAD.replace("    '''memory (B, N, W), key (B, W), w (B, N)'''\n", "")
    assert found(*lines, head=head) == ()


def test_a_layer_that_is_made_elsewhere():
    code = """from torch import nn
class Head(nn.Module):
    def __init__(self):
        super().__init__()
        self.similar = nn.CosineSimilarity({})
    def forward(self, memory, key):
        '''memory (B, N, W), key (B, W)'''
        return self.similar(memory, key.unsqueeze(1)).softmax(-1)
"""
    assert check_source(code.format("dim=-1").encode(), "x.py", Settings()).findings == ()
    (finding,) = check_source(code.format("dim=1").encode(), "x.py", Settings()).findings
    assert (finding.code, finding.line) == ("ATN302", 8)
    assert finding.fix.line == "self.similar = nn.CosineSimilarity(dim=-1)"
