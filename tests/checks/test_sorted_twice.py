"""ATN308: rows put into one order twice, where the second time they were to be put back."""

import numpy as np
import pytest

from attncheck.engine import check_source
from attncheck.settings import Settings

TORCH = """import torch
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence
class Encoder(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.lstm = nn.LSTM(d, d, batch_first=True)
    def forward(self, x, lengths):
        {sorting}
        packed = pack_padded_sequence(x, lengths.cpu(), batch_first=True)
        out, (h, c) = self.lstm(packed)
        out, _ = pad_packed_sequence(out, batch_first=True)
        {before}
        return {result}
"""
NUMPY = """import numpy as np
def encode(x, lengths, w):
    \"\"\"x (B, T, d), lengths (B,), w (d, e).\"\"\"
    order = np.argsort(-lengths)
    y = np.tanh(x[order] @ w)
    return {result}
"""
SORTS = "lengths, order = lengths.sort(descending=True); x = x[order]"


def findings(code):
    return check_source(code.encode(), "x.py", Settings()).findings


def torch_code(result, sorting=SORTS, before="pass"):
    return TORCH.format(result=result, sorting=sorting, before=before)


@pytest.mark.parametrize(
    "sorting",
    [
        SORTS,
        "lengths, order = torch.sort(lengths, descending=True); x = x[order]",
        "order = lengths.argsort(descending=True); x, lengths = x[order], lengths[order]",
        "order = torch.argsort(-lengths); lengths = lengths[order]; x = x.index_select(0, order)",
    ],
)
@pytest.mark.parametrize(
    ("wrong", "right"),
    [
        ("out[order]", "out[order.argsort()]"),
        ("out.index_select(0, order)", "out.index_select(0, order.argsort())"),
        ("h[:, order]", "h[:, order.argsort()]"),
    ],
)
def test_outputs_of_a_packed_batch(sorting, wrong, right):
    (finding,) = findings(torch_code(wrong, sorting))
    assert (finding.code, finding.line) == ("ATN308", 14)
    assert finding.fix.line.strip() == f"return {right}"
    assert findings(torch_code(right, sorting)) == ()


def test_arrays():
    (finding,) = findings(NUMPY.format(result="y[order]"))
    assert (finding.code, finding.line) == ("ATN308", 6)
    assert finding.fix.line.strip() == "return y[order.argsort()]"
    assert findings(NUMPY.format(result="y[order.argsort()]")) == ()


def test_what_numpy_does():
    x = np.array([3.0, 9.0, 4.0, 7.0])
    order = np.argsort(-x)
    assert (x[order][order.argsort()] == x).all()
    assert (x[order][order] != x).any()


@pytest.mark.parametrize(
    ("result", "before"),
    [
        ("out[back]", "back = order.argsort()"),
        ("out[back]", "_, back = order.sort()"),
        ("out[back]", "back = torch.empty_like(order); back[order] = torch.arange(len(order))"),
        ("out, other[order]", "other = torch.ones(len(order), 3)"),  # sorted for the first time
        ("out, order[order]", "pass"),  # an order of orders
        ("out[next_]", "next_ = out.sum((1, 2)).argsort()"),  # sorted by something else
    ],
)
def test_what_is_right(result, before):
    assert findings(torch_code(result, before=before)) == ()


def test_queries_of_sorted_keys():
    """What attends to sorted keys is not sorted itself."""
    code = """import torch
def attend(x, age):
    order = age.argsort()
    keys = x[order]
    out = torch.softmax(x @ keys.T / x.shape[-1] ** 0.5, dim=-1) @ keys
    return out[order]
"""
    assert findings(code) == ()


def test_an_order_that_is_made_anew_in_each_step():
    code = """import torch
def search(hidden, step, n):
    for _ in range(n):
        scores, order = step(hidden).sort(0)
        hidden = torch.tanh(hidden[order])
    return hidden
"""
    assert findings(code) == ()
