"""ATN202: a residual of which one side has an axis of 1 too many behind."""

import pytest

from attncheck.engine import check_source
from attncheck.settings import Settings

HEAD = "import torch\nfrom torch import nn\n"
STACK = """\
class Stack(nn.Module):
    def __init__(self, dim, depth):
        super().__init__()
        self.layers = nn.ModuleList([nn.Conv2d(dim, dim, 1) for _ in range(depth)])

    def forward(self, x):
        for layer in self.layers:
            x = {}
        return x
"""


def found(code):
    """(code, line, fixed line) of every finding but notes."""
    findings = check_source((HEAD + code).encode(), "x.py", Settings()).findings
    return [
        (each.code, each.line, each.fix and each.fix.line)
        for each in findings
        if each.severity != "note"
    ]


@pytest.mark.parametrize(
    ("back", "fixed"),
    [
        ("layer(x) + x[..., None]", "layer(x) + x"),
        ("x.unsqueeze(-1) + layer(x)", "x + layer(x)"),
        ("layer(x) - torch.unsqueeze(x, -1)", "layer(x) - x"),
        ("layer(x)[..., None] * x", "layer(x) * x"),
    ],
)
def test_residuals_of_images(back, fixed):
    assert found(STACK.format(back)) == [("ATN202", 10, "x = " + fixed)]
    assert found(STACK.format(fixed)) == []


REST = """\
class Rest(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.layer = nn.Linear(dim, dim)

    def forward(self, x, first):
        b, n, d = x.shape
        rest = x[:, first:]
        return {}
"""


@pytest.mark.parametrize("back", ["self.layer(rest) + rest{}", "rest{} - self.layer(rest)"])
@pytest.mark.parametrize("axis", ["[..., None]", ".unsqueeze(3)", "[:, :, :, None]"])
def test_an_axis_of_which_only_the_name_is_known(back, axis):
    assert found(REST.format(back.format(axis))) == [("ATN202", 11, "return " + back.format(""))]
    assert found(REST.format(back.format(""))) == []


def test_the_message():
    code = HEAD + REST.format("self.layer(rest) + rest[..., None]")
    (finding,) = check_source(code.encode(), "x.py", Settings()).findings
    assert "the axis of 1 behind moves each axis by one place, so that rest_1 meets" in (
        finding.message
    )
    assert finding.severity == "error"


WAYS = """\
class Mix(nn.Module):
    def __init__(self, dim, wide):
        super().__init__()
        self.first = nn.Linear(dim, wide)
        self.gate = nn.Linear(dim, 1)

    def forward(self, x, y, n):
        return {}
"""


@pytest.mark.parametrize(
    "back",
    [
        "x.view(n, n)[..., None] + x.view(n, n)",
        "x.view(n, n, n)[..., None] + x.view(n, n, n)",
        "x.view(2, n, n)[..., None] + y",
        "x[:, :, None] + x[:, None]",
        "x[..., None] * x[..., None, :]",
        "self.first(x)[..., None] + y",
        "self.gate(x) * x",
        "x[..., None] == x",
        "x.flatten()[..., None] - x.flatten()",
        "torch.cdist(x, x)[..., None] + y",
    ],
)
def test_an_axis_of_one_that_is_meant(back):
    assert found(WAYS.format(back)) == []
