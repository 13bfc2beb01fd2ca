"""ATN103: whether the layer's constructor, its call, or what made the input is to blame."""

import pytest

from attncheck.edits import apply_edits
from attncheck.engine import check_source
from attncheck.settings import Settings

TORCH = "import torch\nfrom torch import nn\n"
CROSS = """\
class Cross(nn.Module):
    def __init__(self, dim, context_dim=None, heads=2, dim_head=4):
        super().__init__()
        inner = heads * dim_head
        if context_dim is None:
            context_dim = dim
        self.to_q = nn.Linear(dim, inner)
        self.to_k = nn.Linear(dim, inner)
        self.to_v = nn.Linear(dim, inner)
        self.to_out = nn.Linear(inner, dim)
    def forward(self, x, context=None):
        context = x if context is None else context
        q, k, v = self.to_q(x), self.to_k(context), self.to_v(context)
        return self.to_out((q @ k.transpose(1, 2)).softmax(-1) @ v)
"""


def findings(code):
    return check_source((TORCH + code).encode(), "x.py", Settings()).findings


def run(code, edits):
    scope = {}
    text = apply_edits((TORCH + code).encode(), edits).decode()
    exec(compile(text, "fixed", "exec"), scope)
    return tuple(scope["y"].shape)


@pytest.mark.parametrize(
    ("made", "context"),
    [
        ("Cross(12, 20)", "torch.ones(2, 7, 20)"),
        ("Cross(12, 20)", "nn.Linear(3, 20)(torch.ones(2, 7, 3))"),
    ],
)
def test_two_layers_made_for_another_size_than_the_object_was_told(made, context):
    code = (
        CROSS
        + f"own = Cross(12)(torch.ones(2, 5, 12))\ny = {made}(torch.ones(2, 5, 12), {context})\n"
    )
    found = findings(code)
    assert [(each.code, each.line, each.tensor.name) for each in found] == [
        ("ATN103", 10, "self.to_k.weight"),
        ("ATN103", 11, "self.to_v.weight"),
    ]
    assert [each.fix.line for each in found] == [
        "self.to_k = nn.Linear(context_dim, inner)",
        "self.to_v = nn.Linear(context_dim, inner)",
    ]
    assert "nothing is made with its `context_dim` of 20" in found[0].message
    edits = [edit for each in found for edit in each.fix.edits]
    assert run(code, edits) == (2, 5, 12)


def test_the_construction_that_fails_need_not_be_the_last():
    code = CROSS + (
        "m, own = Cross(12, 20), Cross(12)\n"
        "y = m(torch.ones(2, 5, 12), torch.ones(2, 7, 20))\n"
        "z = own(torch.ones(2, 5, 12))\n"
    )
    assert [each.fix.line for each in findings(code)] == [
        "self.to_k = nn.Linear(context_dim, inner)",
        "self.to_v = nn.Linear(context_dim, inner)",
    ]


def test_an_argument_that_other_layers_are_made_with_is_no_witness():
    code = CROSS.replace("self.to_v = nn.Linear(dim", "self.to_v = nn.Linear(context_dim")
    code += "y = Cross(12, 20)(torch.ones(2, 5, 12), torch.ones(2, 7, 20))\n"
    (finding,) = findings(code)
    assert (finding.line, finding.fix.line) == (10, "self.to_k = nn.Linear(context_dim, inner)")


def test_a_caller_that_gives_what_nobody_was_told_of_is_to_blame():
    code = CROSS + "y = Cross(12, 20)(torch.ones(2, 5, 12), torch.ones(2, 7, 9))\n"
    found = findings(code)
    assert [(each.line, each.fix) for each in found] == [(17, None), (17, None)]
    assert "is to blame: what it calls fits by itself" in found[0].message


GATE = """\
class Gate(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d({channels}, 1, 3, padding=1)
    def forward(self, x):
        {lines}
        return torch.sigmoid(self.conv(pooled)) * x
y = Gate()(torch.ones({sizes}))
"""
APART = "mean = x.mean(dim=1)\n        top, _ = x.max(1)\n        "


def gate(*lines, channels=2, sizes="3, 5, 8, 6"):
    text = "\n        ".join(lines)
    return GATE.format(channels=channels, lines=text, sizes=sizes)


@pytest.mark.parametrize(
    ("code", "line", "fix"),
    [
        (
            gate(APART + "pooled = torch.cat([mean, top], dim=1)"),
            10,
            "pooled = torch.stack([mean, top], dim=1)",
        ),
        (
            gate("pooled = torch.cat((x.mean(1), x.amax(-3)), 1)"),
            8,
            "pooled = torch.stack((x.mean(1), x.amax(-3)), 1)",
        ),
        (gate("pooled = x.mean(1)", channels=1), 8, "pooled = x.mean(1, keepdim=True)"),
    ],
)
def test_channels_that_were_reduced_away(code, line, fix):
    (finding,) = findings(code)
    assert (finding.code, finding.line, finding.tensor.name) == ("ATN103", line, "pooled")
    assert "is to blame: " in finding.message
    assert "constructor" not in finding.message
    assert finding.fix.line == fix
    assert run(code, finding.fix.edits) == (3, 5, 8, 6)


@pytest.mark.parametrize(
    "code",
    [
        # One image of its own, without a batch.
        gate("pooled = torch.cat([x, x], dim=1)", channels=4, sizes="3, 8, 6"),
        # Another axis than that of the channels.
        gate("pooled = torch.cat([x.mean(2), x.amax(2)], dim=1)"),
        # More of them than the layer wants channels.
        gate("pooled = torch.cat([x.mean(1), x.amax(1), x.amin(1)], dim=1)"),
    ],
)
def test_channels_that_were_not(code):
    (finding,) = findings(code)
    assert (finding.code, finding.line) == ("ATN103", 6)
    assert "the constructor is to blame" in finding.message


def test_channels_that_are_there():
    kept = "x.mean(1, keepdim=True), x.amax(1, keepdim=True)"
    assert findings(gate(f"pooled = torch.cat([{kept}], dim=1)")) == ()
    assert findings(gate("pooled = torch.stack([x.mean(1), x.amax(1)], dim=1)")) == ()
