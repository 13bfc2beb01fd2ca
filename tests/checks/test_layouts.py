"""ATN304 and ATN305: what tells which axis is time, and what is cut out of recurrent layers."""

import pytest

from attncheck.engine import check_source
from attncheck.settings import Settings

MODEL = """
import torch
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence


class Model(nn.Module):
    def __init__(self, d_in, d_h, n_layers, n_heads, n_words):
        super().__init__()
        self.d_h, self.n_layers = d_h, n_layers
        self.words = nn.Embedding(n_words, d_in)
        self.conv = nn.Conv2d(3, d_in, 3)
        self.score = nn.Linear(d_h, 1)
        {layers}

    def forward(self, {arguments}):
        {body}
"""
LSTM = "self.layer = nn.LSTM(d_in, d_h)"
FIRST = "self.layer = nn.LSTM(d_in, d_h, batch_first=True)"
HEADS = "self.layer = nn.MultiheadAttention(d_in, n_heads)"
BOTH = "self.layer = nn.GRU(d_in, d_h, n_layers, bidirectional=True)"


def check(layers, arguments, *body):
    """(code, severity, the fix) of every finding."""
    code = MODEL.format(layers=layers, arguments=arguments, body="\n        ".join(body))
    findings = check_source(code.encode(), "model.py", Settings()).findings
    return [(each.code, each.severity, each.fix and each.fix.line) for each in findings]


@pytest.mark.parametrize(
    ("layers", "arguments", "body", "severity"),
    [
        # The code's names of the sizes.
        (LSTM, "x", ("B, T, _ = x.shape", "return self.layer(x)"), "error"),
        (LSTM, "ids", ("B, T = ids.shape", "return self.layer(self.words(ids))"), "error"),
        (HEADS, "x", ("batch, seq_len, _ = x.shape", "return self.layer(x, x, x)"), "error"),
        # Comments on lines of their own, in one word or in several.
        (LSTM, "ids", ("# ids: [batch, seq_len]", "return self.layer(self.words(ids))"), "error"),
        (
            LSTM,
            "ids",
            ("#ids = [batch size, src len]", "return self.layer(self.words(ids))"),
            "error",
        ),
        # A convolution, whose first axis is the batch of what is an image by its name.
        (
            HEADS,
            "image",
            (
                "x = self.conv(image).flatten(2).transpose(1, 2)",
                "return self.layer(x, x, x)[0]",
            ),
            "warning",
        ),
        # A first state that counts the sequences.
        (
            LSTM,
            "x",
            ("h = torch.zeros(1, x.size(0), self.d_h)", "return self.layer(x, (h, h))"),
            "error",
        ),
        # The last step, and values summed under weights, of an input nobody says anything about.
        (LSTM, "x", ("out, _ = self.layer(x)", "return self.score(out[:, -1])"), "warning"),
        (
            LSTM,
            "x",
            (
                "out, _ = self.layer(x)",
                "weights = torch.softmax(self.score(out), dim=1)",
                "return (weights * out).sum(dim=1)",
            ),
            "warning",
        ),
        # Another layer, whose layout is written out.
        (
            f"{LSTM}; self.other = nn.GRU(d_in, d_in, batch_first=True)",
            "x",
            ("x, _ = self.other(x)", "return self.layer(x)[0]"),
            "warning",
        ),
    ],
)
def test_batch_first_in_a_layer_that_takes_time_first(layers, arguments, body, severity):
    made = layers.partition(";")[0]
    assert check(layers, arguments, *body) == [
        ("ATN304", severity, layers.replace(made, f"{made[:-1]}, batch_first=True)"))
    ]


def test_time_first_in_a_layer_that_takes_the_batch_first():
    body = "T, B, _ = x.shape", "return self.layer(x)"
    fix = FIRST.replace("True", "False")
    assert check(FIRST, "x", *body) == [("ATN304", "error", fix)]


def test_packing():
    body = (
        '"""ids (B, T), lengths (B,)."""',
        "packed = pack_padded_sequence(self.words(ids), lengths)",
        "return pad_packed_sequence(self.layer(packed)[0])[0]",
    )
    fix = "packed = pack_padded_sequence(self.words(ids), lengths, batch_first=True)"
    assert check(FIRST, "ids, lengths", *body) == [("ATN304", "error", fix)]


@pytest.mark.parametrize(
    ("layers", "arguments", "body"),
    [
        (LSTM, "x", ("T, B, _ = x.shape", "return self.layer(x)")),
        (FIRST, "x", ("B, T, _ = x.shape", "return self.layer(x)")),
        (LSTM, "x", ("B, T, _ = x.shape", "return self.layer(x.transpose(0, 1))")),
        (LSTM, "x", ("return self.layer(x)",)),
        (LSTM, "x", ("B, L, _ = x.shape", "return self.layer(x.view(1, B * L, -1))")),
        (LSTM, "ids", ("#ids = [src len, batch size]", "return self.layer(self.words(ids))")),
        # One step of a decoder.
        (LSTM, "ids", ("B = ids.size(0)", "return self.layer(self.words(ids).unsqueeze(0))[0][0]")),
        # Agents that attend to each other at each step are no sequences of a batch.
        (
            LSTM,
            "x",
            (
                "out, _ = self.layer(x)",
                "weights = torch.softmax(out @ out.transpose(1, 2), dim=-1)",
                "return weights @ out",
            ),
        ),
    ],
)
def test_layouts_that_agree(layers, arguments, body):
    assert check(layers, arguments, *body) == []


@pytest.mark.parametrize(
    ("layers", "line", "fix"),
    [
        (FIRST, "y = self.layer(x)[0][-1]", "y = self.layer(x)[0][:, -1]"),
        (FIRST, "y = out[-1, :, :]", "y = out[:, -1]"),
        (BOTH, "y = h[:self.n_layers]", "y = h[0::2]"),
        (BOTH, "y = h[0:self.n_layers, :]", "y = h[0::2, :]"),
        (BOTH, "y = h[self.n_layers:]", "y = h[1::2]"),
        (BOTH, "y = out[:, :self.d_h]", "y = out[:, :, :self.d_h]"),
        (
            BOTH,
            "y = out[:, :self.d_h] + out[:, self.d_h:]",
            "y = out[:, :, :self.d_h] + out[:, :, self.d_h:]",
        ),
        (BOTH, "a, b = out.chunk(2, dim=0); y = a + b", "a, b = out.chunk(2, dim=-1); y = a + b"),
        (
            BOTH,
            "y = out.view(out.size(0), out.size(1), self.d_h, 2)",
            "y = out.view(out.size(0), out.size(1), 2, self.d_h)",
        ),
        (
            BOTH,
            "y = h.view(2, self.n_layers, x.size(1), self.d_h)",
            "y = h.view(self.n_layers, 2, x.size(1), self.d_h)",
        ),
        (
            BOTH.replace("n_layers", "3"),
            "y = torch.cat((h[0], h[1]), dim=1)",
            "y = torch.cat((h[-2], h[-1]), dim=1)",
        ),
    ],
)
def test_wrong_slices(layers, line, fix):
    unpacked = "out, (h, c) = self.layer(x)" if "LSTM" in layers else "out, h = self.layer(x)"
    found = check(layers, "x", unpacked, line, "return y")
    assert [(code, line) for code, _, line in found] == [("ATN305", fix)]


@pytest.mark.parametrize(
    "line",
    [
        "y = h[:2]",
        "y = h[0::2]",
        "y = torch.cat((h[-2], h[-1]), dim=1)",
        "y = out[:, :5]",
        "y = out[-1, :, :5]",
        "a, b = out.chunk(2, dim=-1); y = a + b",
        "a, b = out.chunk(2, dim=0); y = a @ b.transpose(1, 2)",
        "y = out.view(out.size(0), out.size(1), 2, self.d_h)",
    ],
)
def test_slices_that_are_right(line):
    assert check(BOTH, "x", "out, h = self.layer(x)", line, "return y") == []


TURNED = """import torch
from torch import nn
class Block(nn.Module):
    def __init__(self, d, h, batch_first=True):
        super().__init__()
        self.batch_first = batch_first
        self.layer = {}
    def forward(self, x):
        y, _ = self.layer({})
        return y
"""


@pytest.mark.parametrize("given", ["not batch_first", "(not batch_first)", "not self.batch_first"])
@pytest.mark.parametrize(
    ("layer", "inputs"),
    [
        ("nn.GRU(d, d, batch_first={})", "x"),
        ("nn.MultiheadAttention(d, h, batch_first={})", "x, x, x"),
    ],
)
def test_a_setting_that_is_given_on_turned_round(given, layer, inputs):
    code = TURNED.format(layer.format(given), inputs)
    findings = check_source(code.encode(), "x.py", Settings()).findings
    assert [(each.code, each.line, each.severity) for each in findings] == [
        ("ATN304", 7, "warning")
    ]


@pytest.mark.parametrize("given", ["batch_first", "not h", "True", "self.batch_first"])
def test_a_setting_that_is_given_on(given):
    code = TURNED.format(f"nn.GRU(d, d, batch_first={given})", "x")
    assert check_source(code.encode(), "x.py", Settings()).findings == ()


PACKED = """
import torch
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

class Encoder(nn.Module):
    def __init__(self, words, d, h):
        super().__init__()
        self.embed = nn.Embedding(words, d)
        self.rnn = nn.GRU(d, h, batch_first=True)

    def forward(self, tokens, lengths, query):
        packed = pack_padded_sequence(self.embed(tokens), lengths, batch_first=True)
        made, _ = self.rnn(packed)
        keys, _ = {unpacked}
        scores = torch.bmm(keys, query.unsqueeze(2)).squeeze(2)
        weights = torch.softmax(scores, dim=1)
        return torch.bmm(weights.unsqueeze(1), keys)

Encoder(9, 4, 5)(torch.zeros(3, 7).long(), torch.tensor([7, 2, 1]), torch.zeros(3, 5))
"""


def test_a_sequence_unpacked_in_another_layout_than_it_was_packed_in():
    code = PACKED.format(unpacked="pad_packed_sequence(made)")
    fixed = "keys, _ = pad_packed_sequence(made, batch_first=True)"
    found = check_source(code.encode(), "x.py", Settings()).findings
    told = [(each.code, each.span.line, each.fix and each.fix.line) for each in found]
    assert ("ATN304", 15, fixed) in told
    right = PACKED.format(unpacked="pad_packed_sequence(made, batch_first=True)")
    assert check_source(right.encode(), "x.py", Settings()).findings == ()
