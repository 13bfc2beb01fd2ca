"""ATN110: losses over classes that count the positions, as a layer has its classes last."""

import pytest

torch = pytest.importorskip("torch")

from attncheck.engine import check_source  # noqa: E402
from attncheck.settings import Settings  # noqa: E402

MODULE = """import torch
import torch.nn as nn
import torch.nn.functional as F

class Model(nn.Module):
    def __init__(self, words, d):
        super().__init__()
        self.table, self.head = nn.Embedding(words, d), nn.Linear(d, words)
        self.loss = nn.CrossEntropyLoss(ignore_index=0)

    def forward(self, tokens, targets):
        B, T = tokens.shape
        logits = self.head(self.table(tokens))
        {body}
"""


def found(body):
    code = MODULE.format(body=body)
    return list(check_source(code.encode(), "x.py", Settings()).findings)


def loss(body):
    namespace = {}
    exec(MODULE.format(body=body), namespace)
    tokens = torch.ones(2, 5).long()
    return namespace["Model"](7, 4)(tokens, tokens)


@pytest.mark.parametrize(
    ("body", "fix"),
    [
        (
            "return F.cross_entropy(logits, targets)",
            "return F.cross_entropy(logits.transpose(1, 2), targets)",
        ),
        (
            "return self.loss(logits, targets)",
            "return self.loss(logits.transpose(1, 2), targets)",
        ),
        (
            "return F.nll_loss(F.log_softmax(logits, -1), targets)",
            "return F.nll_loss(F.log_softmax(logits, -1).transpose(1, 2), targets)",
        ),
    ],
)
def test_classes_last(body, fix):
    (finding,) = found(body)
    assert (finding.code, finding.line, finding.severity) == ("ATN110", 14, "error")
    assert finding.tensor.shape == ("B", "T", "words")
    assert finding.expected.shape == ("B", "words", "T")
    assert "targets would have to be (B, words)" in finding.message
    assert finding.fix is not None
    assert finding.fix.line == fix
    with pytest.raises(RuntimeError):
        loss(body)
    assert found(fix) == []
    assert loss(fix).shape == ()


@pytest.mark.parametrize(
    "body",
    [
        "return F.cross_entropy(logits.transpose(1, 2), targets)",
        "return F.cross_entropy(logits.view(-1, logits.size(-1)), targets.view(-1))",
        "return F.cross_entropy(logits[:, -1], targets[:, -1])",
        "return F.cross_entropy(logits.flatten(0, 1), targets.flatten())",
        # Something else than a layer says which axis is which.
        "return F.cross_entropy(logits.permute(0, 2, 1).contiguous(), targets)",
    ],
)
def test_right_code(body):
    assert found(body) == []
    assert loss(body).shape == ()
