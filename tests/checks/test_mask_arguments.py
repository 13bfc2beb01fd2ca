"""ATN501: masks that a layer of the library is given in each other's place."""

import pytest

from attncheck.edits import apply_edits
from attncheck.engine import check_source
from attncheck.settings import Settings

TORCH = """\
import torch
from torch import nn
class Model(nn.Module):
    def __init__(self, vocab, d_model, heads):
        super().__init__()
        self.embed = nn.Embedding(vocab, d_model)
        {made}
    def forward(self, ids, others):
        pad, other = ids == 0, others == 0
        B, T = ids.shape
        _, S = others.shape
        causal = torch.ones(T, T, dtype=torch.bool).triu(1)
        x, memory = self.embed(ids), self.embed(others)
        return {call}
"""
RUN = """\
torch.manual_seed(0)
model = Model(9, 8, 2).eval()
ids, others = torch.randint(1, 9, ({batch}, 5)), torch.randint(1, 9, ({batch}, 7))
ids[0, 3:] = others[0, 6:] = 0
y = model(ids, others)
"""
ATTEND = "self.layer = nn.MultiheadAttention(d_model, heads, batch_first=True)"
ENCODER = (
    "self.layer = nn.TransformerEncoder("
    "nn.TransformerEncoderLayer(d_model, heads, batch_first=True), 2)"
)
ENCODE = "self.layer = nn.TransformerEncoderLayer(d_model, heads, batch_first=True)"
DECODER = (
    "self.layer = nn.TransformerDecoder("
    "nn.TransformerDecoderLayer(d_model, heads, batch_first=True), 2)"
)
WHOLE = "self.layer = nn.Transformer(d_model, heads, 1, 1, batch_first=True)"
#: the layer, its call, what its mask is given as, the corrected call
CASES = [
    (ENCODER, "(x, pad)", "mask", "(x, src_key_padding_mask=pad)"),
    (ENCODER, "(x, mask=pad)", "mask", "(x, src_key_padding_mask=pad)"),
    (ENCODE, "(x, pad)", "src_mask", "(x, src_key_padding_mask=pad)"),
    (ENCODER, "(x, src_key_padding_mask=causal)", "src_key_padding_mask", "(x, mask=causal)"),
    (ATTEND, "(x, x, x, attn_mask=pad)[0]", "attn_mask", "(x, x, x, key_padding_mask=pad)[0]"),
    (
        ATTEND,
        "(x, memory, memory, attn_mask=other)[0]",
        "attn_mask",
        "(x, memory, memory, key_padding_mask=other)[0]",
    ),
    (
        DECODER,
        "(x, memory, causal, other)",
        "memory_mask",
        "(x, memory, causal, memory_key_padding_mask=other)",
    ),
    (DECODER, "(x, memory, pad)", "tgt_mask", "(x, memory, tgt_key_padding_mask=pad)"),
    (WHOLE, "(memory, x, other)", "src_mask", "(memory, x, src_key_padding_mask=other)"),
    (
        WHOLE,
        "(memory, x, memory_mask=other, tgt_mask=causal)",
        "memory_mask",
        "(memory, x, memory_key_padding_mask=other, tgt_mask=causal)",
    ),
]


def findings(code):
    return check_source(code.encode(), "x.py", Settings()).findings


@pytest.mark.parametrize("batch", [None, 3, 5, 7])
@pytest.mark.parametrize(("made", "call", "given", "fixed"), CASES)
def test_exchanged(made, call, given, fixed, batch):
    """Also where nothing calls the model, or there are as many sequences as positions."""
    code = TORCH.format(made=made, call=f"self.layer{call}")
    code += "" if batch is None else RUN.format(batch=batch)
    if given == "src_key_padding_mask" and batch in (None, 5):
        pytest.skip("a table of positions may be one of sequences")
    (finding,) = (each for each in findings(code) if each.severity == "error")
    assert (finding.code, finding.line) == ("ATN501", 14)
    assert f"as `{given}`, which says which" in finding.message
    assert finding.fix.line == f"return self.layer{fixed}"
    if batch is not None:
        scope = {}
        exec(apply_edits(code.encode(), finding.fix.edits).decode(), scope)
        assert scope["y"].shape == (batch, 7 if call.startswith("(others") else 5, 8)


def test_the_padding_is_told():
    code = TORCH.format(made=ENCODER, call="self.layer(x, pad)") + RUN.format(batch=3)
    (finding,) = findings(code)
    assert (finding.tensor.name, finding.tensor.shape) == ("pad", ("B", "T"))
    assert finding.expected.shape == ("T", "T")
    assert "which says which query may see which key, (T, T);" in finding.message
    assert "`src_key_padding_mask` says which positions of each sequence" in finding.message
    assert finding.message.endswith("(hidden while B == T)")


RIGHT = [
    (ENCODER, "(x, causal, pad)"),
    (ENCODER, "(x, mask=causal, src_key_padding_mask=pad)"),
    (ENCODER, "(x, src_key_padding_mask=pad)"),
    (ATTEND, "(x, memory, memory, key_padding_mask=other)[0]"),
    (ATTEND, "(x, x, x, key_padding_mask=pad, attn_mask=causal)[0]"),
    (DECODER, "(x, memory, causal, None, pad, other)"),
    (WHOLE, "(memory, x, tgt_mask=causal, src_key_padding_mask=other)"),
    # Batch last: what is (T, B) for the layer are the positions of one sequence each.
    (ENCODER.replace("True", "False"), "(x.transpose(0, 1), causal, pad)"),
]


@pytest.mark.parametrize("batch", [None, 3, 5])
@pytest.mark.parametrize(("made", "call"), RIGHT)
def test_in_their_places(made, call, batch):
    code = TORCH.format(made=made, call=f"self.layer{call}")
    code += "" if batch is None else RUN.format(batch=batch)
    assert "ATN501" not in {each.code for each in findings(code)}
