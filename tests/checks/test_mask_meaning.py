"""ATN502 and ATN507: which uses of masks are reported, how sure, and how they are mended."""

import pytest

from attncheck.engine import check_source
from attncheck.settings import Settings

HEAD = "import torch\nfrom torch import nn\nimport torch.nn.functional as F\n"


def found(code, head=HEAD):
    """(code, severity, fix) of every finding."""
    findings = check_source((head + code).encode(), "x.py", Settings()).findings
    return [(each.code, each.severity, each.fix and each.fix.line) for each in findings]


# -- hand-written attention ------------------------------------------------------------------------

ATTEND = """def attend(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, lengths, mask):
    B, T, d = q.shape
    B, S, d = k.shape
    keep = (torch.arange(S)[None, :] < lengths[:, None]).unsqueeze(1)
    scores = q @ k.transpose(1, 2)
    {}
    w = torch.softmax(scores, dim=-1)
    return w @ v
"""


def attend(line):
    return found(ATTEND.format(line))


REVERSED = [
    (
        'scores = scores.masked_fill(keep, float("-inf"))',
        'scores = scores.masked_fill(~keep, float("-inf"))',
    ),
    (
        "scores = scores.masked_fill(~keep == 0, -1e9)",
        "scores = scores.masked_fill(~keep != 0, -1e9)",
    ),
    ("scores = torch.where(keep, -1e9, scores)", "scores = torch.where(~keep, -1e9, scores)"),
    ("scores = torch.where(~keep, scores, -1e9)", "scores = torch.where(keep, scores, -1e9)"),
    ('scores[keep] = float("-inf")', 'scores[~keep] = float("-inf")'),
    ('scores.masked_fill_(keep, float("-inf"))', 'scores.masked_fill_(~keep, float("-inf"))'),
    (
        "scores = scores + keep.float() * -1e9",
        "scores = scores + (1 - keep.float()) * -1e9",
    ),
    (
        "scores = scores + (1 - (~keep).float()) * -1e9",
        "scores = scores + ((~keep).float()) * -1e9",
    ),
    ("scores = scores - keep.float() * 1e9", "scores = scores - (1 - keep.float()) * 1e9"),
    (
        "scores = torch.where(keep, scores, -1e8 * keep.float())",
        "scores = torch.where(keep, scores, -1e8 * (1 - keep.float()))",
    ),
]


@pytest.mark.parametrize(("line", "fixed"), REVERSED, ids=[line for line, _ in REVERSED])
def test_reversed_padding(line, fixed):
    assert attend(line) == [("ATN502", "warning", fixed)]
    assert attend(fixed) == []


RIGHT = [
    "scores = scores.masked_fill(~keep, -1e9)",
    "scores = scores.masked_fill(mask, -1e9)",
    "scores = scores.masked_fill(mask == 0, -1e9)",
    "scores = scores + mask",
    "scores = torch.where(keep, scores, torch.full_like(scores, -1e9))",
    "scores = scores.masked_fill(torch.arange(S) < S - T, -1e9)",
    "scores = scores.masked_fill(torch.arange(S) < lengths.max() - lengths[:, None, None], -1e9)",
]


@pytest.mark.parametrize("line", RIGHT)
def test_right_or_unknown(line):
    assert attend(line) == []


@pytest.mark.parametrize(
    "written", ["scores[{}] = -1e9", "scores.masked_fill_({}, -1e9)", "scores += {} * -1e9"]
)
def test_in_a_branch(written):
    right, wrong = (f"if T > 1:\n        {written.format(mask)}" for mask in ("~keep", "keep"))
    if "+=" in written:
        right, wrong = (each.replace("keep", "keep.float()") for each in (right, wrong))
        right = right.replace("~keep.float()", "(1 - keep.float())")
    assert [each[:2] for each in attend(wrong)] == [("ATN502", "warning")]
    assert attend(right) == []


def test_a_mask_on_weights():
    (finding,) = found(
        ATTEND.format("scores = scores.masked_fill(~keep, -1e9)").replace(
            "return w @ v", "w = w.masked_fill(keep, 0.0)\n    return w @ v"
        )
    )
    assert finding == ("ATN502", "warning", "w = w.masked_fill(~keep, 0.0)")


def test_a_mask_that_a_helper_makes_of_an_embeddings_padding():
    code = """
def hidden_where(ids, pad):
    return (ids {} pad)[:, None, :]

class Model(nn.Module):
    def __init__(self, n, d, pad):
        super().__init__()
        self.embedding = nn.Embedding(n, d, padding_idx=pad)
        self.pad = pad

    def forward(self, ids):
        x = self.embedding(ids)
        scores = x @ x.transpose(1, 2)
        scores = scores.masked_fill(hidden_where(ids, self.pad), float("-inf"))
        return scores.softmax(-1) @ x
"""
    fixed = 'scores = scores.masked_fill(~hidden_where(ids, self.pad), float("-inf"))'
    assert found(code.format("!=")) == [("ATN502", "error", fixed)]
    assert found(code.format("==")) == []


# -- library attention -----------------------------------------------------------------------------

LIBRARY = """class Model(nn.Module):
    def __init__(self, n, d):
        super().__init__()
        self.embedding = nn.Embedding(n, d, padding_idx=0)
        layer = nn.TransformerEncoderLayer(d, 4, batch_first=True)
        self.encoder = nn.TransformerEncoder(layer, 2)
        self.attention = nn.MultiheadAttention(d, 4, batch_first=True)

    def forward(self, ids):
        x = self.embedding(ids)
        T = ids.size(1)
        keep, past = ids != 0, torch.tril(torch.ones(T, T))
        return {}
"""
CALLS = [
    ("self.encoder(x, src_key_padding_mask={})", "keep", "~keep"),
    ("self.encoder(x, mask={})", "past.bool()", "~past.bool()"),
    ("self.encoder(x, mask={})", "past", "past == 0"),
    ("self.attention(x, x, x, attn_mask={})", "past != 0", "past == 0"),
    ("self.attention(x, x, x, key_padding_mask={})[0]", "keep", "~keep"),
    ("F.scaled_dot_product_attention(x, x, x, attn_mask={})", "past == 0", "past != 0"),
    ("F.scaled_dot_product_attention(x, x, x, attn_mask={})", "past", "past != 0"),
]


@pytest.mark.parametrize(("call", "wrong", "right"), CALLS)
def test_library(call, wrong, right):
    fixed = f"return {call.format(right)}"
    assert found(LIBRARY.format(call.format(wrong))) == [("ATN502", "error", fixed)]
    assert found(LIBRARY.format(call.format(right))) == []


def test_ones_and_zeros_of_floats_are_said_to_hide_nothing():
    code = LIBRARY.format("self.encoder(x, mask=past)")
    (finding,) = check_source((HEAD + code).encode(), "x.py", Settings()).findings
    assert "adds `past` to the scores" in finding.message
    assert finding.message.endswith("1 more for the past, and nothing is hidden")


# -- causal masks ----------------------------------------------------------------------------------

CAUSAL = """class Attention(nn.Module):
    def __init__(self, d, longest):
        super().__init__()
        self.q, self.k, self.v = nn.Linear(d, d), nn.Linear(d, d), nn.Linear(d, d)
        self.register_buffer("shown", torch.tril(torch.ones(longest, longest){}))

    def forward(self, x):
        B, T, d = x.shape
        scores = self.q(x) @ self.k(x).transpose(1, 2)
        scores = scores.masked_fill(self.shown[:T, :T] == 0, float("-inf"))
        return torch.softmax(scores, dim=-1) @ self.v(x)
"""
LINE = 'self.register_buffer("shown", torch.tril(torch.ones(longest, longest){}))'


@pytest.mark.parametrize("diagonal", ["-1", "1", "2"])
def test_a_buffer_off_by_one(diagonal):
    fixed = LINE.format(", diagonal=0")
    assert found(CAUSAL.format(f", diagonal={diagonal}")) == [("ATN507", "error", fixed)]


@pytest.mark.parametrize("written", ["", ", 0", ", 5"])
def test_a_right_buffer_or_a_window(written):
    assert found(CAUSAL.format(written)) == []


POSITIONS = """def attend(x: torch.Tensor):
    B, T, d = x.shape
    i = torch.arange(T)
    hidden = i[None, :] {} i[:, None]
    scores = x @ x.transpose(1, 2)
    return torch.softmax(scores.masked_fill(hidden, -1e9), dim=-1) @ x
"""


def test_positions_off_by_one():
    fixed = "hidden = i[None, :] > i[:, None]"
    assert found(POSITIONS.format(">=")) == [("ATN507", "error", fixed)]
    assert found(POSITIONS.format(">")) == []


def test_only_the_future_is_an_error_and_the_future_with_itself_may_be_meant():
    assert [each[:2] for each in found(POSITIONS.format("<="))] == [("ATN502", "error")]
    assert found(POSITIONS.format("<")) == []
    named = POSITIONS.replace("attend", "causal_attention").format("<")
    assert [each[:2] for each in found(named)] == [("ATN502", "warning")]


MENDED = [
    "w = torch.cat([torch.zeros(B, 1, T), w[:, 1:]], dim=1)",
    "w = torch.nan_to_num(w)",
    "w = w.masked_fill(hidden, 0.0)",
]


@pytest.mark.parametrize("line", MENDED)
def test_a_first_row_that_is_mended(line):
    code = f"""def attend(x: torch.Tensor):
    B, T, d = x.shape
    hidden = torch.ones(T, T).triu() == 1
    w = torch.softmax((x @ x.transpose(1, 2)).masked_fill(hidden, -1e9), dim=-1)
    {line}
    return w @ x
"""
    assert found(code) == []


@pytest.mark.parametrize("other", ["torch.eye(T) == 1", "torch.ones(T, T).tril(-8) == 1"])
def test_a_mask_beside_another_one_is_not_judged(other):
    code = POSITIONS.format(">=").replace("(hidden,", f"(hidden & ~({other}),")
    assert found(code) == []


def test_the_next_position_of_another_sequence_may_be_shown():
    code = """def attend(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor):
    T = q.size(1)
    hidden = torch.triu(torch.ones(T, T, dtype=torch.bool), 2)
    scores = q @ k.transpose(1, 2)
    return torch.softmax(scores.masked_fill(hidden, -1e9), dim=-1) @ v
"""
    assert found(code) == []


POINTER = """import torch
from torch import nn
class Pointer(nn.Module):
    def __init__(self, h):
        super().__init__()
        self.cell = nn.LSTMCell(h, h)
    def forward(self, states, h, c):
        B, T, d = states.shape
        {visited}
        picked = []
        for _ in range(T):
            h, c = self.cell(h, (h, c))
            scores = (states @ h.unsqueeze(-1)).squeeze(-1)
            scores = scores.masked_fill({mask}, float("-inf"))
            chosen = torch.softmax(scores, dim=1).argmax(dim=1)
            visited = visited.scatter(1, chosen.unsqueeze(1), {value})
            picked.append(chosen)
        return torch.stack(picked, dim=1)
"""
UNSEEN = "visited = torch.zeros(B, T, dtype=torch.bool)"
OPEN = "visited = torch.ones(B, T, dtype=torch.bool)"


@pytest.mark.parametrize(
    ("visited", "mask", "value", "fixed"),
    [
        (UNSEEN, "~visited", "True", "masked_fill(visited, "),
        (UNSEEN, "visited", "True", None),
        (OPEN, "visited", "False", "masked_fill(~visited, "),
        (OPEN, "~visited", "False", None),
    ],
)
def test_a_mask_that_hides_everything_in_the_first_turn(visited, mask, value, fixed):
    code = POINTER.format(visited=visited, mask=mask, value=value)
    findings = check_source(code.encode(), "x.py", Settings()).findings
    assert [each.code for each in findings] == ["ATN502"] * (fixed is not None)
    for finding in findings:
        assert "nothing is seen" in finding.message
        assert finding.fix is not None and fixed in finding.fix.line
