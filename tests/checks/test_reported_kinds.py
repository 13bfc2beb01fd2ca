"""Kinds of mistakes from reports about transformers: wrong forms are told, right ones are not."""

import pytest

from attncheck.engine import check_source
from attncheck.settings import Settings

HEAD = "import math\nimport numpy as np\nimport torch\nfrom torch import nn, einsum\n"


def found(code, head=HEAD):
    """(code, line behind the head, fix) of every error and warning."""
    result = check_source((head + code).encode(), "x.py", Settings())
    lines = head.count("\n")
    return [
        (each.code, each.line - lines, each.fix and each.fix.line)
        for each in result.findings
        if each.severity != "note"
    ]


# -- a docstring takes no finding away -------------------------------------------------------------

MERGED = """class Attention(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads, self.d = heads, dim // heads
        self.qkv = nn.Linear(dim, 3 * dim)
        self.out = nn.Linear(dim, dim)

    def forward(self, x, keep=None):
        {prose}
        b, t, c = x.{read}
        q, k, v = self.qkv(x).reshape(b, t, 3, self.heads, self.d).permute(2, 0, 3, 1, 4)
        scores = q @ k.transpose(-2, -1)
        if keep is not None:
            scores = scores.masked_fill(~keep, float("-inf"))
        y = torch.softmax(scores, dim=-1) @ v
        return self.out(y{turn}.reshape(b, t, c))
"""
PROSE = [
    '"""x: (batch, seq_len, hidden)"""',
    "# x: [batch, tokens, dim]",
    '"""\n        :param x: input. Shape: (N, S, E)\n        :param keep: Shape: (S, S)"""',
]


@pytest.mark.parametrize("read", ["shape", "size()"])
@pytest.mark.parametrize("prose", PROSE)
def test_heads_merged_without_transpose_are_told_below_prose(prose, read):
    ((code, _, fix),) = found(MERGED.format(prose=prose, read=read, turn=""))
    assert code == "ATN303"
    assert fix == "return self.out(y.transpose(1, 2).reshape(b, t, c))"
    assert not found(MERGED.format(prose=prose, read=read, turn=".transpose(1, 2)"))


SPLIT = """class Split(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads, self.d = heads, dim // heads
        self.q = nn.Linear(dim, dim)

    def forward(self, query):
        \"\"\"query: (batch, q_len, hidden)\"\"\"
        {read}
        return self.q(query).view({sizes})
"""


@pytest.mark.parametrize(
    "read, sizes, told",
    [
        ("b = query.size(0)", "b, self.heads, -1, self.d", True),
        ("b, t, c = query.shape", "b, self.heads, t, self.d", True),
        ("b, t, c = query.shape", "b, t, self.heads, self.d", False),
        # Nothing but the docstring says that there are three axes, and in this order.
        ("b, t = self.b, self.t", "b, self.heads, t, self.d", False),
    ],
)
def test_views_of_documented_arguments(read, sizes, told):
    findings = found(SPLIT.format(read=read, sizes=sizes))
    assert [code for code, _, _ in findings] == ["ATN303"] * told


# -- scales that are numbers -----------------------------------------------------------------------

NUMBERED = """n_embd = 64


class Head(nn.Module):
    def __init__(self, head_size):
        super().__init__()
        self.key = nn.Linear(n_embd, head_size)
        self.query = nn.Linear(n_embd, head_size)
        self.value = nn.Linear(n_embd, head_size)

    def forward(self, x):
        B, T, C = x.shape
        k, q = self.key(x), self.query(x)
        weights = q @ k.transpose(-2, -1) * {scale}
        return weights.softmax(dim=-1) @ self.value(x)


print(Head(n_embd // 4)(torch.randn(2, 8, n_embd)).shape)
"""


@pytest.mark.parametrize(
    "scale, told",
    [
        ("C**-0.5", True),
        ("n_embd**-0.5", True),
        ("(1.0 / math.sqrt(C))", True),
        ("k.shape[-1]**-0.5", False),
        ("(1.0 / math.sqrt(q.size(-1)))", False),
        # Any other number may be a temperature.
        ("2**-0.5", False),
        ("(1.0 / math.sqrt(7))", False),
        ("0.125", False),
    ],
)
def test_root_of_the_width_of_the_embedding(scale, told):
    findings = found(NUMBERED.format(scale=scale))
    assert [code for code, _, _ in findings] == ["ATN506"] * told


# -- positions along the batch ---------------------------------------------------------------------

POSITIONS = """class Positions(nn.Module):
    def __init__(self, d_model, max_len=256):
        super().__init__()
        rates = torch.exp(torch.arange(0, d_model, 2) * (-math.log(10000.0) / d_model))
        pe = torch.zeros(max_len, 1, d_model)
        pe[:, 0, 0::2] = torch.sin(torch.arange(max_len).unsqueeze(1) * rates)
        self.register_buffer("pe", pe)

    def forward(self, x):
        return x + self.pe[:x.{size}]


class Encoder(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.positions = Positions(d_model)

    def forward(self, x):
        \"\"\"x: ({layout}, d_model)\"\"\"
        return self.positions(x)
"""


@pytest.mark.parametrize("size", ["size(0)", "shape[0]"])
def test_positions_that_number_the_sequences_of_a_batch(size):
    ((code, _, fix),) = found(POSITIONS.format(size=size, layout="batch, seq_len"))
    assert code == "ATN306"
    assert fix == f"return x + self.pe[:x.{size.replace('0', '1')}].transpose(0, 1)"
    assert not found(POSITIONS.format(size=size, layout="seq_len, batch"))
    assert not found(POSITIONS.format(size=size, layout="frames, tokens"))


# -- what is called the query, where the keys belong -----------------------------------------------


@pytest.mark.parametrize(
    "scores, weights, fix",
    [
        ("einsum('bqd,bkd->bkq', q, k)", "w @ v", "einsum('bqd,bkd->bqk', q, k)"),
        ("einsum('bid,bjd->bij', k, q)", "w @ v", "einsum('bid,bjd->bji', k, q)"),
        ("einsum('bqd,bkd->bqk', q, k)", "w @ v", None),
        ("einsum('bkd,bqd->bqk', k, q)", "w @ v", None),
        ("q @ k.mT", "einsum('bqk,bkd->bqd', w, v)", None),
        # No features are summed: each position has its own window, and is in both.
        ("einsum('bsd,bsd->bsd', k, q)", "einsum('bsd,bsd->bs', w, v)", None),
    ],
)
def test_values_summed_over_the_queries(scores, weights, fix):
    code = (
        "def attend(x, w_q, w_k, w_v):\n    b, t, d = x.shape\n"
        "    q, k, v = x @ w_q, x @ w_k, x @ w_v\n"
        f"    w = torch.softmax({scores}, dim=-1)\n    return {weights}\n"
    )
    wanted = [] if fix is None else [("ATN301", 4, f"w = torch.softmax({fix}, dim=-1)")]
    assert found(code) == wanted


# -- torch's decoder, the wrong way round ----------------------------------------------------------

DECODED = """class Translator(nn.Module):
    def __init__(self, d, vocab):
        super().__init__()
        self.embed = nn.Embedding(vocab, d)
        self.encoder = nn.TransformerEncoder(nn.TransformerEncoderLayer(d, 4, batch_first=True), 2)
        self.decoder = nn.TransformerDecoder(nn.TransformerDecoderLayer(d, 4, batch_first=True), 2)

    def forward(self, src, tgt):
        {memory} = {encoded}
        return self.decoder({given})
"""


@pytest.mark.parametrize(
    "memory, encoded, given, fix",
    [
        ("memory", "self.encoder(self.embed(src))", "memory, self.embed(tgt)", True),
        ("enc_out", "self.encoder(self.embed(src))", "enc_out, self.embed(tgt)", True),
        ("memory", "self.encoder(self.embed(src))", "self.embed(tgt), memory", False),
        # Text may have an encoder of its own, and look at something that has none.
        ("text", "self.encoder(self.embed(src))", "text, self.embed(tgt)", False),
        ("memory", "self.embed(src)", "memory, self.embed(tgt)", False),
    ],
)
def test_decoders_given_the_memory_first(memory, encoded, given, fix):
    findings = found(DECODED.format(memory=memory, encoded=encoded, given=given))
    line = f"return self.decoder(self.embed(tgt), {memory})"
    assert findings == ([("ATN308", 10, line)] if fix else [])


# -- what differs is what was to be joined ---------------------------------------------------------


def test_caches_joined_along_the_heads():
    code = (
        "past, new = torch.zeros(2, 4, 6, 8), torch.zeros(2, 4, 1, 8)\n"
        "keys = torch.cat([past, new], dim=1)\n"
    )
    assert found(code) == [("ATN106", 2, "keys = torch.cat([past, new], dim=2)")]


def test_features_joined_with_one_row_are_repeated():
    code = (
        "states, context = torch.zeros(2, 6, 8), torch.zeros(2, 1, 5)\n"
        "both = torch.cat([states, context], dim=-1)\n"
    )
    ((name, line, fix),) = found(code)
    assert (name, line) == ("ATN106", 2)
    assert "repeat_interleave(states.shape[1], dim=1)" in fix


# -- masks of a library's attention ----------------------------------------------------------------

MASKED = """class Layer(nn.Module):
    def __init__(self, d, heads):
        super().__init__()
        self.attn = nn.MultiheadAttention(d, heads, batch_first=True)

    def forward(self, x, mask):
        return self.attn(x, x, x, attn_mask={mask})[0]


Layer(32, 4)(torch.zeros(3, 6, 32), torch.ones({sizes}))
"""


def test_masks_of_sequences_are_repeated_for_each_head():
    ((code, line, fix),) = found(MASKED.format(mask="mask", sizes="3, 6, 6"))
    assert (code, line) == ("ATN110", 7)
    assert "attn_mask=mask.repeat_interleave(self.attn.num_heads, dim=0)" in fix
    assert not found(MASKED.format(mask="mask.repeat_interleave(4, dim=0)", sizes="3, 6, 6"))


def test_a_square_mask_of_the_other_layout_still_tells_the_layout():
    code = MASKED.format(mask="mask", sizes="6, 6").replace(", batch_first=True", "")
    assert [each[0] for each in found(code)] == ["ATN304"]


# -- weights filled under a mask -------------------------------------------------------------------


@pytest.mark.parametrize(
    "weights, fix",
    [
        (
            "scores.softmax(-1).masked_fill(mask == 0, 0)",
            'scores.masked_fill(mask == 0, float("-inf")).softmax(-1)',
        ),
        (
            "scores.softmax(-1).masked_fill(~mask, 0.0)",
            'scores.masked_fill(~mask, float("-inf")).softmax(-1)',
        ),
        (
            "torch.where(mask, torch.softmax(scores, -1), 0.0)",
            'torch.softmax(scores.masked_fill(mask == 0, float("-inf")), -1)',
        ),
        (
            "torch.where(mask, 0.0, torch.softmax(scores, -1))",
            'torch.softmax(scores.masked_fill(mask, float("-inf")), -1)',
        ),
    ],
)
def test_the_scores_are_hidden_where_the_weights_were(weights, fix):
    code = (
        "def attend(q, k, v, mask):\n    scores = q @ k.transpose(-2, -1)\n"
        f"    weights = {weights}\n    return weights @ v\n"
    )
    assert found(code, "import torch\n") == [("ATN503", 3, f"weights = {fix}")]


# -- channels that a normalisation has counted -----------------------------------------------------

BLOCK = """class Block(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.norm = nn.GroupNorm(4, channels)
        self.q = nn.Conv{n}d(channels, channels, 1)

    def forward(self, x):
        q = self.q(self.norm(x))
        {axes} = q.shape
        return q.{view}
"""


@pytest.mark.parametrize(
    "n, axes, view, fix",
    [
        (3, "b, c, t, h, w", "reshape(b * t, c, h * w)", "transpose(1, 2)."),
        (3, "b, c, t, h, w", "transpose(1, 2).reshape(b * t, c, h * w)", None),
        (2, "b, c, h, w", "reshape(b, h * w, c)", "permute(0, 2, 3, 1)."),
        (2, "b, c, h, w", "reshape(b, c, h * w)", None),
    ],
)
def test_a_convolution_behind_a_normalisation_has_a_batch(n, axes, view, fix):
    findings = found(BLOCK.format(n=n, axes=axes, view=view))
    assert findings == ([] if fix is None else [("ATN303", 10, f"return q.{fix}{view}")])
