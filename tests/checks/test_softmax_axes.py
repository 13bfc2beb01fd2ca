"""ATN301 and ATN202 in forms that the pages do not show: where they are told, and the fix."""

import numpy as np
import pytest

from attncheck.engine import check_source
from attncheck.settings import Settings

HEAD = """import torch
import torch.nn.functional as F
from torch import nn
def pool(x: torch.Tensor, score: nn.Linear):
    B, T, d = x.shape
    s = nn.Linear(d, 1)(x)
"""


def found(code, *expected):
    """(code, line, fix) of every finding."""
    findings = check_source(code.encode(), "x.py", Settings()).findings
    return [(each.code, each.line, each.fix and each.fix.line) for each in findings]


POOLED = "return (w * x).sum(dim=1)"
ONES = [
    ("w = F.softmax(s, dim={})", POOLED),
    ("w = s.softmax({})", "return torch.bmm(w.transpose(1, 2), x)"),
    ("w = torch.softmax(s, {})", "return torch.einsum('bto,btd->bd', w, x)"),
    ("e = s.exp()\n    w = e / e.sum({}, keepdim=True)", POOLED),
    ("w = torch.exp(s - s.logsumexp({}, keepdim=True))", POOLED),
]


@pytest.mark.parametrize(("weights", "result"), ONES)
def test_over_an_axis_of_one(weights, result):
    line = 6 + len(weights.splitlines())
    fix = weights.splitlines()[-1].strip().format(1)
    assert found(f"{HEAD}    {weights.format(-1)}\n    {result}\n") == [("ATN301", line, fix)]
    assert found(f"{HEAD}    {weights.format(1)}\n    {result}\n") == []


HEADS = """import torch
from torch import nn
class Attention(nn.Module):
    def __init__(self, d, n_heads):
        super().__init__()
        self.n_heads, self.q, self.k = n_heads, nn.Linear(d, d), nn.Linear(d, d)
    def forward(self, x):
        B, T, d = x.shape
        q = self.q(x).view(B, T, self.n_heads, -1){turn}
        k = self.k(x).view(B, T, self.n_heads, -1){turn}
        w = torch.softmax(q @ k.transpose(-2, -1), dim=-1)
        return w @ k
"""


def test_heads_that_attend_to_each_other():
    assert found(HEADS.format(turn="")) == [("ATN301", 11, None)]
    assert found(HEADS.format(turn=".transpose(1, 2)")) == []


def test_scores_by_elements_tell_queries_from_keys():
    code = """import torch
def f(q: torch.Tensor, k: torch.Tensor):
    B, T, d = q.shape
    assert k.shape == q.shape
    s = (q.unsqueeze(2) * q.unsqueeze(1)).sum(-1)
    w = s.softmax(dim={})
    return (w.unsqueeze(-1) * q.unsqueeze(1)).sum(2)
"""
    assert found(code.format(1)) == [("ATN301", 6, "w = s.softmax(dim=-1)")]
    assert found(code.format(2)) == []


def test_both_directions_exchanged():
    code = """import torch
def f(a: torch.Tensor, b: torch.Tensor):
    B, T, d = a.shape
    B, S, d = b.shape
    s = a @ b.transpose(1, 2)
    u, w = s.softmax({}), s.softmax({})
    return u @ b, w.transpose(1, 2) @ a
"""
    assert [each[0] for each in found(code.format(1, 2))] == ["ATN301", "ATN301"]
    assert found(code.format(2, 1)) == []


ADDITIVE = """import torch
from torch import nn
class Additive(nn.Module):
    def __init__(self, dim, d_attn):
        super().__init__()
        self.W, self.U = nn.Linear(dim, d_attn), nn.Linear(dim, d_attn)
        self.v = nn.Linear(d_attn, 1)
    def forward(self, query, keys):
        sums = {}
        w = self.v(torch.tanh(sums)).squeeze(-1).softmax(dim=-1)
        return w @ keys
Additive(6, 4)(torch.ones(2, 5, 6), torch.ones(2, 5, 6))
"""


def test_queries_added_to_keys_one_by_one():
    crossed = "self.W(query).unsqueeze(2) + self.U(keys).unsqueeze(1)"
    fix = f"sums = {crossed}"
    assert found(ADDITIVE.format("self.W(query) + self.U(keys)")) == [("ATN202", 9, fix)]
    assert found(ADDITIVE.format(crossed)) == []


BOTH = """import torch
def both(a: torch.Tensor, b: torch.Tensor, forth: bool):
    B, T, d = a.shape
    _, S, _ = b.shape
    scores = torch.bmm(a, b.transpose(1, 2))
    {}
    return torch.bmm(w, b)
"""
CHOSEN = """if forth:
        w = torch.softmax(scores, dim=2)
    else:
        w = torch.softmax(scores, dim={})"""


def test_an_axis_that_a_branch_chooses_is_left_alone():
    assert found(BOTH.format(CHOSEN.format(1))) == []
    assert found(BOTH.format(CHOSEN.format(1)).replace("forth: bool", "forth=False")) == []
    alone = "w = torch.softmax(scores, dim=1)"
    fixed = "w = torch.softmax(scores, dim=-1)"
    assert found(BOTH.format(alone)) == [("ATN301", 6, fixed)]


CLUSTERS = """import torch
from torch import nn
class Clusters(nn.Module):
    def __init__(self, d, k):
        super().__init__()
        self.assign, self.conv = nn.Linear(d, k), nn.Conv1d(d, k, 1)
        self.centroids = nn.Parameter(torch.randn(k, d))
    def forward(self, x):
        B, T, d = x.shape
        s = {scores}
        return torch.einsum("{letters},btd->bkd", s.softmax(dim={axis}), x)
"""


@pytest.mark.parametrize(
    ("scores", "letters"),
    [
        ("self.assign(x)", "btk"),
        ("self.conv(x.transpose(1, 2))", "bkt"),
        ("x @ self.centroids.t()", "btk"),
    ],
)
def test_positions_assigned_to_clusters(scores, letters):
    code = CLUSTERS.format(scores=scores, letters=letters, axis=letters.index("k"))
    assert found(code) == []
    line = f'return torch.einsum("{letters},btd->bkd", s.softmax(dim={{}}), x)'
    axis = letters.index("t")
    code = CLUSTERS.format(scores=scores, letters=letters, axis=0)
    assert found(code) == [("ATN301", 11, line.format(-1 if axis == 2 else axis))]


def test_a_softmax_layer_is_mended_where_it_is_made():
    code = """import torch
from torch import nn
class Attention(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.weigh = nn.Softmax(dim={})
        self.q, self.k = nn.Linear(d, d), nn.Linear(d, d)
    def forward(self, x):
        B, T, d = x.shape
        return self.weigh(self.q(x) @ self.k(x).transpose(1, 2)) @ x
"""
    fix = "self.weigh = nn.Softmax(dim=-1)"
    assert found(code.format(1)) == [("ATN301", 10, fix)]
    assert found(code.format(2)) == []


UNSHAPED = """import torch
from torch import einsum
import torch.nn.functional as F
def f(q, k, v, bias):
    s = einsum("bhid,bhjd->bhij", q, k) + elsewhere(bias)
    w = F.dropout(s.softmax(dim={}), 0.1).to(v.dtype)
    return {}
"""
SUMS = ["einsum('bhij,bhjd->bhid', w, v)", "torch.matmul(w, v)", "w @ v"]


@pytest.mark.parametrize(
    ("axis", "sum_"),
    [(1, SUMS[0]), (2, SUMS[0]), (-2, SUMS[1]), (-2, SUMS[2]), (1, SUMS[1]), (2, SUMS[2])],
)
def test_weights_of_unknown_shape(axis, sum_):
    fix = "w = F.dropout(s.softmax(dim=-1), 0.1).to(v.dtype)"
    assert found(UNSHAPED.format(axis, sum_)) == [("ATN301", 6, fix)]


@pytest.mark.parametrize(
    ("axis", "sum_"),
    [
        *((-1, each) for each in SUMS),
        (3, SUMS[0]),
        (3, SUMS[1]),
        (2, "einsum('bhij,bhid->bhjd', w, v)"),
        (1, "einsum('bhij,hg->bgij', w, v)"),
        (-2, "w.transpose(-2, -1) @ v"),
        (-2, "(w / w.sum(-1, keepdim=True)) @ v"),
    ],
)
def test_weights_of_unknown_shape_that_may_be_right(axis, sum_):
    assert found(UNSHAPED.format(axis, sum_)) == []


FLAT = """import torch
import torch.nn.functional as F
from torch import nn


class Detector(nn.Module):
    def __init__(self, d, n_out{size}):
        super().__init__()
        self.attn = nn.Linear(d, {made})
        self.fc = nn.Linear(d, n_out)

    def forward(self, x):
        T, B, d = x.shape
        energy = self.attn(x.reshape(T * B, d))
        {weights}
        return self.fc((weights.view(T, B, -1) * x).sum(0))
"""


@pytest.mark.parametrize(
    ("size", "made", "weights", "lines"),
    [
        ("", "1", "weights = F.softmax(energy, dim=1)", [15]),
        ("", "1", "weights = F.softmax(energy.view(T, B, 1), dim=0)", []),
        ("", "1", "weights = torch.sigmoid(energy)", []),
        (", n_heads=1", "n_heads", "weights = F.softmax(energy, dim=1)", []),
    ],
)
def test_over_the_one_number_that_a_layer_gives(size, made, weights, lines):
    code = FLAT.format(size=size, made=made, weights=weights)
    assert [(each, line) for each, line, _ in found(code)] == [("ATN301", each) for each in lines]


LETTERS = """import torch
def read(s, H):
    weights = torch.softmax(torch.einsum("bd,btd->bt", s, H), dim=-1)
    return torch.einsum({!r}, weights, H)
"""


@pytest.mark.parametrize("letters", ["bt,bsd->bd", "bx,bsd->bd", "bt,bsd->bsd"])
def test_weights_that_an_einsum_sums_by_themselves(letters):
    (told,) = found(LETTERS.format(letters))
    assert told[:2] == ("ATN302", 4)


def test_the_values_get_the_letter_of_the_weights():
    (told,) = found(LETTERS.format("bt,bsd->bd"))
    assert told[2] == "return torch.einsum('bs,bsd->bd', weights, H)"


@pytest.mark.parametrize("letters", ["bt,btd->bd", "bt,bsd->btsd", "bt,btd->btd"])
def test_weights_that_meet_the_values_or_are_kept(letters):
    assert found(LETTERS.format(letters)) == []


CONTEXT = """import torch
from torch import nn
def pool(x: torch.Tensor):
    B, T, d = x.shape
    w = nn.Linear(d, 1)(x).softmax(dim=1)
    {}
"""


@pytest.mark.parametrize(
    ("result", "fix"),
    [
        ("return (w * x).sum(-1)", "return (w * x).sum(1)"),
        ("return torch.sum(w * x, dim=2)", "return torch.sum(w * x, dim=1)"),
        ("return (w * x).sum(2, keepdim=True)", "return (w * x).sum(1, keepdim=True)"),
    ],
)
def test_weighted_values_summed_over_their_features(result, fix):
    assert found(CONTEXT.format(result)) == [("ATN302", 6, fix)]


@pytest.mark.parametrize(
    "result", ["return (w * x).sum(1)", "return (w * x).sum(-1).sum(-1)", "return x.sum(-1)"]
)
def test_weighted_values_summed_over_the_keys(result):
    assert found(CONTEXT.format(result)) == []


LEAST = """import torch
from torch import nn
import torch.nn.functional as F
class Attention(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.score = nn.Linear(d, 1)
    def forward(self, x, states, values):
        {}
        return F.softmax(scores, dim=1) @ values
"""


@pytest.mark.parametrize(
    "line",
    [
        "scores = states.squeeze(2).unsqueeze(1)",
        "scores = self.score(elsewhere(x) + states[:, :, None]).squeeze(2).unsqueeze(1)",
        "scores = torch.where(states[:, None, None] > 0, elsewhere(x) + states, -1e9)",
        "scores = x[:, None, None] @ elsewhere(states).transpose(1, 2)",
    ],
)
def test_scores_of_at_least_so_many_axes(line):
    assert [code for code, *_ in found(LEAST.format(line))] == ["ATN301"]


@pytest.mark.parametrize(
    "line",
    [
        "scores = states.squeeze().unsqueeze(1)",
        "scores = elsewhere(x)",
        "scores = x[:, None, None] @ elsewhere(states)",
    ],
)
def test_scores_that_may_have_two_axes(line):
    assert found(LEAST.format(line)) == []


BY_HAND = """import torch
from torch import nn
import torch.nn.functional as F
class Attention(nn.Module):
    def __init__(self, d, n):
        super().__init__()
        self.score, self.scores = nn.Linear(d, 1), nn.Linear(d, n)
    def forward(self, x):
        y = elsewhere(x)
        values = torch.squeeze(self.scores(y))
        {}
"""


@pytest.mark.parametrize(
    ("line", "wrong"),
    [
        ("return (F.softmax(self.score(y), dim=0) * values).sum({})", 1),
        ("return torch.sum(values * F.softmax(self.score(y), 1), dim={})", 0),
        ("return (self.score(y).squeeze(-1).softmax(0).unsqueeze(-1) * values).sum({})", 1),
        (
            "return (self.score(y).div(2).squeeze(-1).softmax(-1).unsqueeze(-1) * values).sum({})",
            -1,
        ),
        ("return (self.score(y).squeeze(-1).softmax(1).unsqueeze(0) * values).sum({})", 1),
    ],
)
def test_sums_by_hand_of_unknown_shape(line, wrong):
    right = {1: 0, 0: 1, -1: -2}[wrong] if "unsqueeze(0)" not in line else 2
    assert [code for code, *_ in found(BY_HAND.format(line.format(wrong)))] == ["ATN301"]
    assert found(BY_HAND.format(line.format(right))) == []


@pytest.mark.parametrize(
    "line",
    [
        # capsules: shared among those above, summed over those below
        "return (F.softmax(self.scores(y), dim=2).unsqueeze(-1) * values).sum(1)",
        "return (F.softmax(self.score(y), dim=1) * values).mean(2)",
        "return (F.softmax(self.score(y), dim=1) * values).sum(-1)",
        "return (self.score(y).squeeze(-1).softmax(1).unsqueeze(-2) * values).sum(2)",
    ],
)
def test_sums_by_hand_that_may_be_right(line):
    assert found(BY_HAND.format(line)) == []


def test_weights_of_heads_that_keys_are_scored_by():
    code = """import torch
def score(q, k, v):
    weights = torch.softmax(torch.einsum("bhid,bhjd->bhij", q, k), dim=-1)
    first, lengths = weights[:, :, 0], v.norm(dim=-1)
    return torch.einsum("bhj,bhj->bj", first, lengths), weights @ v
"""
    assert found(code) == []


HELPER = """
import numpy as np

def softmax(x, {axis}=1):
    x = x - x.max(axis={axis}, keepdims=True)
    e = np.exp(x)
    return e / e.sum(axis={axis}, keepdims=True)

def attend(x, weights, heads):
    B, T, D = x.shape
    q, k, v = (x @ weights).reshape(B, T, 3, heads, D // heads).transpose(2, 0, 3, 1, 4)
    scores = q @ k.transpose(0, 1, 3, 2)
    shares = {call}
    return (shares @ v).transpose(0, 2, 1, 3).reshape(B, T, D), softmax(x[:, 0])
"""


@pytest.mark.parametrize(
    ("axis", "call", "fix"),
    [
        ("axis", "softmax(scores)", "shares = softmax(scores, axis=-1)"),
        ("over", "softmax(scores)", "shares = softmax(scores, over=-1)"),
        ("axis", "softmax(scores, 2)", "shares = softmax(scores, -1)"),
        ("axis", "softmax(scores, axis=-2)", "shares = softmax(scores, axis=-1)"),
    ],
)
def test_the_call_of_a_helper_is_to_say_the_axis(axis, call, fix):
    findings = check_source(
        HELPER.format(axis=axis, call=call).encode(), "x.py", Settings()
    ).findings
    told = [(each.code, each.span.line, each.fix and each.fix.line) for each in findings]
    assert told == [("ATN301", 13, fix)]


STRUCTURED = """
import torch
from torch import nn

class {name}(nn.Module):
    def __init__(self, d, hidden, hops):
        super().__init__()
        self.first = nn.Linear(d, hidden)
        self.second = nn.Linear(hidden, hops)

    def forward(self, x):
        # x: (B, T, d)
        scores = self.second(torch.tanh(self.first(x))).transpose(1, 2)
        return torch.softmax(scores, dim={dim}) @ x
"""


@pytest.mark.parametrize(
    ("name", "dim", "expected"),
    [
        ("StructuredSelfAttention", 1, [("ATN301", "warning")]),
        ("StructuredSelfAttention", 2, []),
        ("ClusterAttention", 1, []),
        ("SoftAssignment", 1, []),
    ],
)
def test_rows_of_weights_or_shares_of_clusters(name, dim, expected):
    code = STRUCTURED.format(name=name, dim=dim)
    findings = check_source(code.encode(), "x.py", Settings()).findings
    assert [(each.code, each.severity) for each in findings] == expected


MATCHED = """\
import numpy as np
def softmax(x, axis):
    e = np.exp(x - x.max(axis=axis, keepdims=True))
    return e / e.sum(axis=axis, keepdims=True)
def split(x, n_heads):
    \"\"\"(n, c) -> (n_heads, n, c // n_heads)\"\"\"
    n, c = x.shape
    return x.reshape(n, n_heads, c // n_heads).swapaxes(0, 1)
def match(x0, x1, n_heads=2):
    q0, q1 = split(x0, n_heads), split(x1, n_heads)
    scores = np.einsum("hid,hjd->hij", q0, q1)
    back = softmax(scores.swapaxes(-1, -2), axis=-1)
    return np.einsum("{}", back, q0)
y = match(np.ones(({}, 8)), np.ones(({}, 8)))
"""


@pytest.mark.parametrize(
    ("letters", "sizes", "told"),
    [
        # The sum cannot work: its letters are wrong, and softmax is over the axis it should be.
        ("hji,hjd->hid", (5, 7), [("ATN107", 13, 'return np.einsum("hij,hjd->hid", back, q0)')]),
        (
            "hji,hjd->hid",
            (5, 5),
            [("ATN302", 13, 'return np.einsum("hij,hjd->hid", back, q0)')],
        ),
        ("hij,hjd->hid", (5, 7), []),
    ],
)
def test_a_sum_that_cannot_work_tells_nothing_of_softmax(letters, sizes, told):
    code = MATCHED.format(letters, *sizes)
    found = check_source(code.encode(), "x.py", Settings()).findings
    assert [(each.code, each.line, each.fix and each.fix.line) for each in found] == told


REVERSED = """import numpy as np
import jax
import jax.numpy as jnp
import tensorflow as tf
from keras import ops
def softmax(x):
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)
def align(a, b):
    B, S, d = a.shape
    B, T, d = b.shape
    weights = {product}
    soft = {turned}
    return {total}
"""
IN_LIBRARIES = [
    ("jnp.matmul(a, jnp.swapaxes(b, 1, 2))", "jnp.transpose", "jax.nn.softmax", "jnp.matmul"),
    ("ops.matmul(a, ops.transpose(b, (0, 2, 1)))", "ops.transpose", "ops.softmax", "ops.matmul"),
    ("tf.matmul(a, b, transpose_b=True)", "tf.transpose", "tf.nn.softmax", "tf.matmul"),
]


@pytest.mark.parametrize(("product", "transpose", "softmax", "matmul"), IN_LIBRARIES)
def test_a_transpose_that_brings_the_batch_to_the_end(product, transpose, softmax, matmul):
    turned = f"{transpose}({softmax}({transpose}(weights)))"
    total = f"{matmul}({transpose}(soft, (0, 2, 1)), a)"
    code = REVERSED.format(product=product, turned=turned, total=total)
    (finding,) = check_source(code.encode(), "x.py", Settings()).findings
    assert (finding.code, finding.line) == ("ATN301", 13)
    assert finding.message.endswith(
        f"`{transpose}(weights)` reverses all 3 axes, so that what was the first one, the batch, is"
        " shared out"
    )
    assert finding.fix.line == f"soft = {turned.replace('(weights)', '(weights), axis=1')}"
    turned = f"{transpose}({softmax}({transpose}(weights, (0, 2, 1))), (0, 2, 1))"
    assert found(REVERSED.format(product=product, turned=turned, total=total)) == []


def test_that_the_last_axis_of_a_full_transpose_is_the_batch():
    scores = np.random.default_rng(0).normal(size=(2, 3, 4))
    wrong = np.exp(scores.transpose()) / np.exp(scores.transpose()).sum(-1, keepdims=True)
    right = np.exp(scores) / np.exp(scores).sum(1, keepdims=True)
    assert np.allclose(wrong.transpose().sum(0), 1)
    assert np.allclose(right.sum(1), 1)
    assert not np.allclose(wrong.transpose(), right)
