"""ATN501 or ATN304: padding masks that stand time first, by what docstrings call the axes."""

import pytest

from attncheck.engine import check_source
from attncheck.settings import Settings

CODE = '''import torch
from torch import nn


class Model(nn.Module):
    def __init__(self, vocab, width):
        super().__init__()
        layer = nn.TransformerEncoderLayer(width, 4)
        self.encoder = nn.TransformerEncoder(layer, 2)
        self.attention = nn.MultiheadAttention(width, 4)
        self.embed = nn.Embedding(vocab, width)

    def forward(self, ids, pad=0):
        """Encode.

        Args:
            ids: Tensor, {told}
        """
        mask = ids == pad
        x = self.embed(ids)
        return {call}


def run():
    return Model(50, 32)(torch.randint(1, 50, (35, 20)))


run()
'''
TIME_FIRST = ["shape [seq_len, batch_size]", "shape (T, B)", "(time, batch)"]
OTHERWISE = ["shape [batch_size, seq_len]", "the tokens", "shape (n, m)"]
ENCODE = "self.encoder(x, src_key_padding_mask={})"
CALLS = [ENCODE, "self.attention(x, x, x, key_padding_mask={})[0]"]


def findings(told, call):
    code = CODE.format(told=told, call=call)
    return check_source(code.encode(), "x.py", Settings()).findings


@pytest.mark.parametrize("told", TIME_FIRST)
@pytest.mark.parametrize("call", CALLS)
def test_the_mask_is_turned_where_the_input_stands_as_it_is_called(told, call):
    (finding,) = findings(told, call.format("mask"))
    assert (finding.code, finding.line, finding.severity) == ("ATN501", 21, "error")
    assert (finding.tensor.name, finding.tensor.shape) == ("mask", (35, 20))
    assert finding.expected.shape == (20, 35)
    assert "takes which keys are padding batch first, (20, 35), whatever the layout" in (
        finding.message
    )
    assert finding.fix.line == f"return {call.format('mask.T')}"
    assert findings(told, call.format("mask.T")) == ()


@pytest.mark.parametrize("told", OTHERWISE)
def test_the_layer_is_turned_where_nobody_calls_the_first_axis_time(told):
    (finding,) = findings(told, ENCODE.format("mask"))
    assert (finding.code, finding.line) == ("ATN304", 8)


def test_what_torch_says():
    pytest.importorskip("torch")
    with pytest.raises((AssertionError, RuntimeError), match=r"mask"):
        exec(CODE.format(told="", call=ENCODE.format("mask")), {})
    space = {}
    exec(CODE.format(told="", call=ENCODE.format("mask.T")), space)
    assert tuple(space["run"]().shape) == (35, 20, 32)
