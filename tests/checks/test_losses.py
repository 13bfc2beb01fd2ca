"""ATN110 beyond operators: losses, what an axis is expanded to, what is assigned to a part."""

import pytest

from attncheck.engine import check_source
from attncheck.settings import Settings

HEAD = "import numpy as np\nimport torch\nfrom torch import nn\nimport torch.nn.functional as F\n"


def found(code):
    """The code, line and fix of each finding."""
    findings = check_source((HEAD + code).encode(), "x.py", Settings()).findings
    return [(each.code, each.line, each.fix and each.fix.line) for each in findings]


@pytest.mark.parametrize(
    "line",
    [
        "F.mse_loss(torch.randn(2, 3), torch.randn(2, 4))",
        "F.cross_entropy(torch.randn(8, 10), torch.randint(0, 10, (6,)))",
        "nn.CrossEntropyLoss()(torch.randn(8, 10), torch.randint(0, 10, (6,)))",
        "torch.randn(2, 3).expand(4, 3)",
        "np.broadcast_to(np.ones((3, 4)), (2, 4))",
    ],
)
def test_sizes_that_cannot_broadcast(line):
    assert found(f"y = {line}\n") == [("ATN110", 5, None)]


@pytest.mark.parametrize(
    "line",
    [
        "F.mse_loss(torch.randn(2, 3), torch.randn(2, 3))",
        "F.cross_entropy(torch.randn(8, 10), torch.randint(0, 10, (8,)))",
        "F.cross_entropy(torch.randn(8, 10, 5), torch.randint(0, 10, (8, 5)))",
        "torch.randn(1, 3).expand(4, 3)",
        "torch.randn(4, 3).expand(2, -1, 3)",
    ],
)
def test_sizes_that_fit(line):
    assert found(f"y = {line}\n") == []


CLASSES = """
class Model(nn.Module):
    def __init__(self, words, d):
        super().__init__()
        self.emb = nn.Embedding(words, d)
        self.out = nn.Linear(d, words)

    def forward(self, idx, targets):
        # idx, targets: (B, T)
        logits = self.out(self.emb(idx))
        return F.cross_entropy({scores}, {targets})
"""


def test_classes_on_the_last_axis():
    fix = "return F.cross_entropy(logits.transpose(1, 2), targets)"
    assert found(CLASSES.format(scores="logits", targets="targets")) == [("ATN110", 15, fix)]


@pytest.mark.parametrize(
    ("scores", "targets"),
    [
        ("logits.transpose(1, 2)", "targets"),
        ("logits.flatten(0, 1)", "targets.flatten()"),
        ("logits.view(-1, logits.size(-1))", "targets.view(-1)"),
        ("logits[:, -1]", "targets[:, -1]"),
    ],
)
def test_classes_where_the_loss_wants_them(scores, targets):
    assert found(CLASSES.format(scores=scores, targets=targets)) == []


LISTED = """
def attend(values, keys, query, heads):
    n, length, d = query.shape
    energy = torch.einsum("nqd,nkd->nqk", [query, keys])
    weights = torch.softmax(energy / d ** 0.5, dim={axis})
    return torch.einsum("nql,nld->nqd", [weights, values])
"""


@pytest.mark.parametrize(("axis", "codes"), [("1", ["ATN301"]), ("2", [])])
def test_operands_of_einsum_in_a_list(axis, codes):
    assert [code for code, *_ in found(LISTED.format(axis=axis))] == codes


def test_numbers_that_are_joined_do_not_end_the_check():
    code = "def f(x):\n    a = torch.zeros(3)[0]\n    return torch.cat((a, x[0]), 1)\n"
    assert "ATN902" not in [each for each, *_ in found(code)]
