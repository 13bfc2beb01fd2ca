"""Operands of one layer whose batches or positions do not agree."""

import pytest

from attncheck.engine import check_source
from attncheck.settings import Settings

HEAD = "import torch\nfrom torch import nn\nfrom torch.nn.utils.rnn import pack_padded_sequence\n"
LAYERS = "mha = nn.MultiheadAttention(16, 4, batch_first=True)\nlstm = nn.LSTM(16, 8)\n"


def found(code):
    result = check_source((HEAD + LAYERS + code).encode(), "code.py", Settings())
    return [(finding.code, finding.message) for finding in result.findings]


@pytest.mark.parametrize(
    "code, text",
    [
        (
            "q, k = torch.ones(3, 5, 16), torch.ones(4, 7, 16)\nout = mha(q, k, k)\n",
            "pairs a batch of 3 in query with one of 4 in key",
        ),
        (
            "q, k = torch.ones(3, 5, 16), torch.ones(3, 7, 16)\nout = mha(q, k, q)\n",
            "weights 5 values by 7 keys",
        ),
        (
            "x, h = torch.ones(9, 3, 16), torch.ones(1, 2, 8)\nout = lstm(x, (h, h))\n",
            "takes a first state of (1, 3, 8), not (1, 2, 8)",
        ),
    ],
)
def test_told(code, text):
    ((rule, message),) = found(code)
    assert rule == "ATN110"
    assert message.endswith(text)


@pytest.mark.parametrize(
    "code",
    [
        "q, k = torch.ones(3, 5, 16), torch.ones(3, 7, 16)\nout = mha(q, k, k)\n",
        "x, h = torch.ones(9, 3, 16), torch.ones(1, 3, 8)\nout = lstm(x, (h, h))\n",
    ],
)
def test_silent(code):
    assert found(code) == []
