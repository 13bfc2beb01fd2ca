"""ATN506: cosines multiplied by the logarithm of their scale, and by other numbers."""

import pytest

from attncheck.engine import check_source
from attncheck.settings import Settings

MODULE = """import math
import numpy as np
import torch
from torch import nn
import torch.nn.functional as F

class Matcher(nn.Module):
    def __init__(self, d, length=77, start=10.0):
        super().__init__()
        self.image, self.text = nn.Linear(d, d), nn.Linear(d, d)
        {scale}
        {more}

    def forward(self, x, y):
        '''x (n, d), y (m, d)'''
        a, b = F.normalize(self.image(x), dim=-1), self.text(y)
        b = b / b.norm(dim=-1, keepdim=True)
        {body}
"""
CLIP = "self.scale = nn.Parameter(torch.ones([]) * np.log(1 / 0.07))"


def found(scale, body, more="pass"):
    code = MODULE.format(scale=scale, body=body, more=more)
    findings = check_source(code.encode(), "x.py", Settings()).findings
    return [(each.code, each.line, each.severity, each.fix and each.fix.line) for each in findings]


@pytest.mark.parametrize(
    ("scale", "more"),
    [
        (CLIP, "pass"),
        ("self.scale = nn.Parameter(torch.full((1, 1), math.log(10.0)))", "pass"),
        ("self.scale = nn.Parameter(torch.log(10 * torch.ones((1, 1))))", "pass"),
        ("self.scale = nn.Parameter(torch.tensor(14.3).log())", "pass"),
        ("self.scale = nn.Parameter(torch.tensor(math.log(1 / start)))", "pass"),
        ("self.scale = nn.Parameter(torch.tensor(-np.log(0.07)))", "pass"),
        ("self.scale = nn.Parameter(torch.empty(()))", "self.scale.data.fill_(math.log(10))"),
        (
            "self.scale = nn.Parameter(torch.ones(()))",
            "nn.init.constant_(self.scale, np.log(1 / 0.07))",
        ),
    ],
)
@pytest.mark.parametrize(
    ("body", "fix"),
    [
        ("return self.scale * a @ b.T", "return self.scale.exp() * a @ b.T"),
        ("return self.scale * (a @ b.T)", "return self.scale.exp() * (a @ b.T)"),
        ("return (a @ b.T) * self.scale", "return (a @ b.T) * self.scale.exp()"),
        (
            "return torch.einsum('nd,md->nm', a, b) * self.scale.clamp(max=4.6)",
            "return torch.einsum('nd,md->nm', a, b) * self.scale.clamp(max=4.6).exp()",
        ),
    ],
)
def test_a_logarithm_is_no_scale(scale, more, body, fix):
    assert found(scale, body, more) == [("ATN506", 18, "warning", fix)]
    assert found(scale, fix, more) == []


@pytest.mark.parametrize(
    "body",
    [
        "return self.scale.exp() * a @ b.T",
        "return torch.exp(self.scale) * (a @ b.T)",
        "return (a @ b.T) * torch.clamp(self.scale, max=math.log(100)).exp()",
        "return (a @ b.T) * F.softplus(self.scale)",
        "return (a @ b.T) * 10 ** self.scale",
        "return (a @ b.T) / self.scale",
        "return (a @ b.T) + self.scale",
        # no cosines: what a layer gives, of any length
        "return (self.image(x) @ self.text(y).T) * self.scale",
        "return x * self.scale",
    ],
)
def test_what_may_be_meant(body):
    assert found(CLIP, body) == []


@pytest.mark.parametrize(
    ("scale", "more"),
    [
        ("self.scale = nn.Parameter(torch.tensor(10.0))", "pass"),
        # the scale itself, which grows with the length as a logarithm does
        ("self.scale = nn.Parameter(torch.tensor(math.log2(length**2 - length)))", "pass"),
        ("self.scale = nn.Parameter(torch.tensor(math.log(length)))", "pass"),
        ("self.scale = nn.Parameter(torch.log(torch.rand(1, 1)))", "pass"),
        # no parameter
        ("self.scale = math.log(length)", "pass"),
        # written over
        (CLIP, "nn.init.constant_(self.scale, 14.3)"),
    ],
)
def test_what_is_no_logarithm_of_a_number(scale, more):
    assert found(scale, "return self.scale * (a @ b.T)", more) == []


def test_a_decay_is_exponentiated_behind_the_product():
    code = """import math, torch
from torch import nn
class Retention(nn.Module):
    def __init__(self):
        super().__init__()
        self.decay = nn.Parameter(torch.full((8, 1, 1), math.log(0.9)))
    def forward(self, q, k, v):
        n = q.size(-2)
        steps = (torch.arange(n)[:, None] - torch.arange(n)).tril()
        return (q @ k.mT * torch.exp(steps * self.decay)).tril() @ v
"""
    assert check_source(code.encode(), "x.py", Settings()).findings == ()
