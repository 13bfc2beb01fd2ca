"""ATN103: arguments that a constructor does not pass on to the part that is made with them."""

import pytest

from attncheck.engine import check_source
from attncheck.settings import Settings

CODE = """import torch
from torch import nn
class Cross(nn.Module):
    def __init__(self, dim, {parameters}):
        super().__init__()
        context_dim = context_dim or dim
        self.W_q = nn.Linear(dim, dim)
        self.W_k = nn.Linear(context_dim, dim)
        self.W_v = nn.Linear(context_dim, dim)
    def forward(self, x, context):
        q, k, v = self.W_q(x), self.W_k(context), self.W_v(context)
        return torch.softmax(q @ k.transpose(1, 2) / q.shape[-1] ** 0.5, -1) @ v
class Block(nn.Module):
    def __init__(self, dim, context_dim):
        super().__init__()
        self.norm = nn.LayerNorm(dim)
        self.attn = {made}
    def forward(self, x, context):
        return x + self.attn(self.norm(x), context)
block = Block(32, {given})
print(block(torch.randn(2, 5, 32), torch.randn(2, 7, 48)).shape)
"""


def found(made, given="context_dim=48", parameters="context_dim=None"):
    code = CODE.format(made=made, given=given, parameters=parameters)
    return check_source(code.encode(), "x.py", Settings()).findings


@pytest.mark.parametrize("given", ["context_dim=48", "48"])
def test_the_line_that_makes_the_part_is_to_blame(given):
    (finding,) = found("Cross(dim)", given)
    assert (finding.code, finding.line, finding.function) == ("ATN103", 17, "Block.__init__")
    assert "`Cross(dim)` is to blame, which is not given the `context_dim` of 48" in finding.message
    assert finding.fix is not None
    assert finding.fix.line == "self.attn = Cross(dim, context_dim=context_dim)"
    assert found("Cross(dim, context_dim=context_dim)", given) == ()


@pytest.mark.parametrize(
    ("made", "given"),
    [
        ("Cross(dim, context_dim)", "context_dim=64"),  # it is passed on, and wrong
        ("Cross(dim)", "context_dim=64"),  # none of its arguments is what the layers are given
        ("Cross(dim, context_dim=dim)", "context_dim=48"),  # said by hand
    ],
)
def test_another_line_is_to_blame(made, given):
    findings = found(made, given)
    assert findings
    assert all("which is not given" not in each.message for each in findings)
