"""Right code of packages nobody had looked at: nothing is said of it, but of wrong twins."""

import pytest

from attncheck.engine import check_source
from attncheck.settings import Settings

HEAD = "import torch\nfrom torch import nn\nimport torch.nn.functional as F\n"


def codes(code):
    return [each.code for each in check_source((HEAD + code).encode(), "x.py", Settings()).findings]


COMPARED_CALL = """
from elsewhere import one_hot

def distances(labels, names):
    target = one_hot(labels)
    mask = target[0, 0:1] > 0.5
    made = {made}
    return made[0]
"""


@pytest.mark.parametrize(
    "made",
    [
        "torch.zeros_like(mask, dtype=torch.float32)",
        "torch.as_tensor(mask)",
        "torch.as_tensor(mask * 1.0)",
        "torch.zeros_like(1 - mask)",
    ],
)
def test_what_is_made_of_a_comparison_with_something_unknown(made):
    assert codes(COMPARED_CALL.format(made=made)) == []


LAYER_OF = """
class Norm(nn.Module):
    def __init__(self, {name}, weights):
        super().__init__()
        self.norm = nn.LayerNorm({name})

    def order(self, x):
        return self.norm.weight.permute(2, 0, 1)
"""


@pytest.mark.parametrize(
    ("name", "expected"),
    [("feat_dims", []), ("normalized_shape", []), ("d_model", ["ATN104"])],
)
def test_a_layer_may_be_made_for_several_sizes(name, expected):
    assert codes(LAYER_OF.format(name=name)) == expected


GIVEN_WEIGHTS = """
class Table(nn.Module):
    def __init__(self, vectors):
        super().__init__()
        self.table = nn.Embedding(10, 8)
        {given}
        self.out = nn.Linear(16, 5)

    def forward(self, x):
        return self.out(self.table(x))
"""


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("self.table.weight = nn.Parameter(torch.as_tensor(vectors))", []),
        ("self.table.weight = nn.Parameter(torch.zeros(10, 16))", []),
        ("self.table.weight = nn.Parameter(torch.zeros(10, 8))", ["ATN103"]),
        ("self.table.weight = nn.Parameter(self.table.weight * 2)", ["ATN103"]),
        ("self.table.padding_idx = 0", ["ATN103"]),
        ("pass", ["ATN103"]),
    ],
)
def test_a_layer_that_is_given_other_weights(given, expected):
    assert codes(GIVEN_WEIGHTS.format(given=given)) == expected


FLAT = '''
def step(alphas, log_probs, i):
    """One step.

    Args:
        alphas: memory of shape [B, T, U].
        log_probs: tensor of {told} [B, T, U, V].
    """
    return alphas[0] + log_probs[0]
'''


@pytest.mark.parametrize(
    ("told", "expected"),
    [
        ("flat shape", []),
        ("flattened shape", []),
        ("flattented shape", []),
        ("shape", ["ATN202"]),
    ],
)
def test_what_a_flat_tensor_holds_is_no_shape_of_it(told, expected):
    assert codes(FLAT.format(told=told)) == expected


CROSSED = '''
class Attention(nn.Module):
    def forward(self, q, k, v):
        """
        Input shape:
            q: [bs x n_heads x max_q_len x d_k]
            k: [bs x n_heads x {k}]
            v: [bs x n_heads x seq_len x d_v]
        """
        scores = torch.matmul(q, k)
        return torch.matmul(scores.softmax(-1), v)
'''


@pytest.mark.parametrize(("k", "expected"), [("d_k x seq_len", []), ("seq_len x d_k", ["ATN102"])])
def test_shapes_that_are_written_with_crosses(k, expected):
    assert codes(CROSSED.format(k=k)) == expected


COMPOSED = """
def attend(q, k, v, ql, kl):
    a = (q @ kl.transpose(-1, -2)).softmax(-1)
    b = (ql @ kl.transpose(-1, -2)).softmax(-1)
    c = (ql @ k.transpose(-1, -2)).softmax(-1)
    eye = torch.eye(b.shape[-1])
    inverse = b.transpose(-1, -2) @ (2 * eye - b @ b.transpose(-1, -2))
    return {result}

y = attend(*(torch.ones(2, n, 8) for n in (12, 12, 12, 3, 3)))
"""


@pytest.mark.parametrize(
    ("result", "expected"),
    [
        ("a @ inverse @ c", []),
        ("(a @ b) @ c", []),
        ("(a @ inverse) @ (c @ v)", []),
        ("ql.transpose(-1, -2) @ c", ["ATN302"]),
        ("(b @ kl).transpose(-1, -2) @ c", ["ATN302"]),
    ],
)
def test_weights_that_are_composed_with_weights(result, expected):
    assert codes(COMPOSED.format(result=result)) == expected


DISTANCES = """
class Decay(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.q, self.k = nn.Linear(d, d), nn.Linear(d, d)

    def forward(self, x, y, v):
        b, t, _ = x.shape
        b, s, _ = y.shape
        scores = self.q(x) @ self.k(y).transpose(-2, -1)
        n = scores.size(1)
        one = torch.arange(n).expand(n, -1)
        other = one.transpose(0, 1).contiguous()
        scores = scores * {distance}
        return scores.softmax(-1) @ v
"""


@pytest.mark.parametrize(
    ("distance", "expected"),
    [("(one - other).abs()", []), ("one[0]", ["ATN306", "ATN202"])],
)
def test_square_tables_of_distances(distance, expected):
    assert codes(DISTANCES.format(distance=distance)) == expected


MASKED_TWICE = """
class Pool(nn.Module):
    def __init__(self, d, smooth):
        super().__init__()
        self.score, self.smooth = nn.Linear(d, 1), smooth

    def forward(self, x, mask=None):
        weight = self.score(x).view(-1, x.shape[1])
        if mask is not None:
            weight = weight * mask.float()
        if self.smooth:
            if mask is not None:
                {again}
            weight = weight.softmax(dim=-1)
        return (weight.unsqueeze(-1) * x).sum(dim=1)
"""


@pytest.mark.parametrize(
    ("again", "expected"),
    [
        ("weight += -1.e9 * (1 - mask.float())", []),
        ("weight = weight + (1 - mask) * -1e9", []),
        ("weight = weight - (1 - mask.float()) * 1e9", []),
        ("weight = weight.masked_fill(mask == 0, -1e9)", []),
        ("pass", ["ATN504"]),
    ],
)
def test_a_product_before_a_mask_that_hides(again, expected):
    assert codes(MASKED_TWICE.format(again=again)) == expected


LAST_AXES = """
class Heads(nn.Module):
    def __init__(self, d, heads):
        super().__init__()
        self.q, self.heads = nn.Linear(d, d), heads

    def forward(self, x):
        batch_size, seq_len, _ = x.shape
        q = self.q(x).reshape(batch_size, seq_len, self.heads, -1).transpose(1, 2)
        scores = torch.matmul(q, q.transpose(-1, -2))  # {claim}
        return scores
"""


@pytest.mark.parametrize(
    ("claim", "expected"),
    [
        ("(seq_len, seq_len)", []),
        ("[heads, seq_len, seq_len]", []),
        ("(batch_size, seq_len)", ["ATN601"]),
        ("(seq_len,)", ["ATN601"]),
        ("(batch_size, heads, seq_len, seq_len, 1)", ["ATN601"]),
    ],
)
def test_comments_that_list_the_last_axes(claim, expected):
    assert codes(LAST_AXES.format(claim=claim)) == expected


CLIPS = """
def forward(x, heads):
    B, N, C = x.shape
    y = x.reshape(-1, 2, heads, N, C // heads).permute(0, 2, 3, 1, 4)
    y = y.softmax(dim=-1)  # {claim}
    return y
"""


@pytest.mark.parametrize(
    ("claim", "expected"),
    [
        ("(B, H, N, T, C)", []),
        ("(B // 2, H, N, T, C)", []),
        ("(B, H, N, T, C, 1)", ["ATN601"]),
    ],
)
def test_comments_that_call_what_the_batch_was_cut_into_a_batch(claim, expected):
    assert codes(CLIPS.format(claim=claim)) == expected


ONE_NUMBER = """
def loss(logits, n):
    b, t, c = logits.shape
    scores = logits.log_softmax(dim=-1)
    made = scores[:, :1, 0].mean(0)
    other = {other}
    return F.kl_div(other, scores, None, None, "batchmean", log_target=True)
"""


@pytest.mark.parametrize(
    ("other", "expected"),
    [
        ("torch.log(torch.tensor([1.0 / n]))", []),
        ("torch.full((1,), 0.5).log()", []),
        ("made", ["ATN204"]),
    ],
)
def test_a_loss_against_one_number(other, expected):
    assert codes(ONE_NUMBER.format(other=other)) == expected


ROUTING = """
class Capsules(nn.Module):
    def __init__(self, i, d, o, e):
        super().__init__()
        self.votes, self.i, self.o, self.e = nn.Linear(d, o * e), i, o, e
        self.q, self.k = nn.Linear(e, e), nn.Linear(e, e)

    def forward(self, x):
        b, i, _ = x.shape
        u = self.votes(x).view(b, i, self.o, self.e)
        logits = {start}
        for _ in range(3):
            c = F.softmax(logits, dim={axis})
            s = {total}
            v = torch.tanh(s)
            {agree}
        return v
"""
ZEROS = "torch.zeros(b, i, self.o)"
AGREES = "logits = logits + (u * v.unsqueeze(1)).sum(-1)"


@pytest.mark.parametrize(
    ("start", "axis", "total", "agree", "expected"),
    [
        (ZEROS, 2, "(c.unsqueeze(-1) * u).sum(1)", AGREES, []),
        (ZEROS, -1, "torch.einsum('bio,bioe->boe', c, u)", AGREES, []),
        (ZEROS, 2, "(c.unsqueeze(-1) * u).sum(1)", AGREES.replace("= logits +", "+="), []),
        (
            "(self.q(u).mean(1, keepdim=True) * self.k(u)).sum(-1)",
            2,
            "(c.unsqueeze(-1) * u).sum(1)",
            "logits = logits * 2",
            ["ATN302"],
        ),
    ],
)
def test_routing_shares_votes_among_those_above(start, axis, total, agree, expected):
    code = ROUTING.format(start=start, axis=axis, total=total, agree=agree)
    assert codes(code) == expected


TOLD_SCALE = '''
class Dot(nn.Module):
    def __init__(self, {name}):
        super().__init__()
        self.scale = {name} ** -0.5

    def forward(self, query, key, value):
        """
        Args:
            query: (B, T, d_k)
            key: (B, S, d_k)
        """
        scores = query @ key.transpose(-2, -1) * self.scale
        return scores.softmax(-1) @ value
'''


@pytest.mark.parametrize(
    ("name", "expected"), [("dim", []), ("size", []), ("d_k", []), ("d_model", ["ATN506"])]
)
def test_a_docstring_calls_sizes_by_other_names_than_the_code(name, expected):
    assert codes(TOLD_SCALE.format(name=name)) == expected


TALKING = """
class Talking(nn.Module):
    def __init__(self, d, h):
        super().__init__()
        self.h, self.qkv, self.mix = h, nn.Linear(d, 3 * d), nn.Linear(h, h)

    def forward(self, x):
        B, N, C = x.shape
        q, k, v = self.qkv(x).reshape(B, N, 3, self.h, C // self.h).permute(2, 0, 3, 1, 4).unbind(0)
        a = (q @ k.transpose(-2, -1)).softmax(-1)
        a = {mixed}
        return (a @ v).transpose(1, 2).reshape(B, N, C)
"""


@pytest.mark.parametrize(
    ("mixed", "expected"),
    [
        ("self.mix(a.permute(0, 2, 3, 1)).permute(0, 3, 1, 2)", []),
        ("a.transpose(-1, -2)", ["ATN302"]),
    ],
)
def test_a_layer_that_mixes_the_heads_of_weights(mixed, expected):
    assert codes(TALKING.format(mixed=mixed)) == expected


SCALED_BY = '''
def attend(x, weight, scale, heads, shifted):
    """
    Args:
        x (Tensor[N, L, C]): what attends
        weight (Tensor[3 * C, C]): the projections
        scale (Tensor[out_dim]): of the scores
    """
    n, l, c = x.shape
    qkv = F.linear(x, weight).reshape(n, l, 3, heads, c // heads).permute(2, 0, 3, 1, 4)
    q, k, v = qkv[0], qkv[1], qkv[2]
    scores = {scores}
    if shifted:
        scores = scores.view(n // 4, 4, heads, l, l) + shifted
        scores = scores.view(-1, heads, l, l)
    scores = F.softmax(scores, dim=-1)
    return scores.matmul(v).transpose(1, 2).reshape(n, l, c)
'''


@pytest.mark.parametrize(
    "scores",
    ["(q @ k.transpose(-2, -1)) * scale", "F.dropout(q @ k.transpose(-2, -1) * scale.exp())"],
)
def test_scores_whose_last_axis_something_unknown_may_have_spread(scores):
    assert codes(SCALED_BY.format(scores=scores)) == []


TRANSPOSED_MASK = """
def merged(mask):
    if mask.shape[2] == 1:
        column = {column}
        mask = torch.minimum(column, mask)
    return mask
"""


@pytest.mark.parametrize(
    "column", ["mask.permute(0, 1, 3, 2)", "mask.mT", "torch.transpose(mask, 2, 3)"]
)
def test_a_row_that_meets_its_own_transpose(column):
    assert codes(TRANSPOSED_MASK.format(column=column)) == []


FIELDS = """
import jax.numpy as jnp
from elsewhere import Layer

{decorator}
class Split{bases}:
    heads: int = 0
    width: int = 0

    def __call__(self, x):
        b, n, _ = x.shape
        flat = jnp.reshape(x, [-1, self.width])
        return flat, jnp.reshape(x, [b, n, self.heads, -1])
"""


@pytest.mark.parametrize(
    ("decorator", "bases", "expected"),
    [
        ("", "(Layer)", []),
        ("@dataclass", "", []),
        ("@dataclass(frozen=True)", "(Layer)", []),
        ("", "", ["ATN105", "ATN105"]),
    ],
)
def test_fields_are_given_other_values_than_their_defaults(decorator, bases, expected):
    assert codes(FIELDS.format(decorator=decorator, bases=bases)) == expected


REMARKED = """
from typing import ClassVar
import jax.numpy as jnp
from elsewhere import Layer

class Table(Layer):
    rank: ClassVar[int] = 2
    width: int = 4

    def __call__(self, x):
        # x: (batch_size, n)
        return jnp.zeros((3, self.{name})) @ jnp.zeros((5, 6))
"""


@pytest.mark.parametrize(("name", "expected"), [("width", []), ("rank", ["ATN101"])])
def test_fields_beside_remarks_about_shapes(name, expected):
    assert codes(REMARKED.format(name=name)) == expected


EMBEDDED = """
class Positions(nn.Module):
    def __init__(self, width, length):
        super().__init__()
        self.register_buffer("pe", torch.zeros(1, length, width))

    def forward(self, x):
        return x + self.pe[:, :x.size({axis})]

class Decoder(nn.Module):
    def __init__(self, n, width, length):
        super().__init__()
        self.embed, self.positions = nn.Embedding(n, width), Positions(width, length)

    def forward(self, tgt, memory):
        return self.positions({tgt})
"""


@pytest.mark.parametrize(
    ("tgt", "axis", "expected"),
    [
        ("self.embed(tgt) * 2", 1, []),
        ("tgt * 2", 1, []),
        ("tgt * 2", 0, ["ATN306"]),
    ],
)
def test_what_is_embedded_are_indices_whatever_they_are_called(tgt, axis, expected):
    assert codes(EMBEDDED.format(tgt=tgt, axis=axis)) == expected


MISSING = """
class Patches(nn.Module):
    def __init__(self, fuse=False):
        super().__init__()
        self.fuse = fuse

    def forward(self, x, longer=None):
        if self.fuse:
            if {asked}:
                local = x[longer, 1:]
                b, c, h, w = local.shape
                return local.view(b, c, h * w)
        return x[:, :1]

class Model(nn.Module):
    def __init__(self, fuse):
        super().__init__()
        self.patches = Patches(fuse)

    def forward(self, x):
        b, c, h, w = x.shape
        return self.patches(x)
"""


@pytest.mark.parametrize(
    ("asked", "expected"), [("len(longer) > 0", []), ("x.shape[2] > 4", ["ATN104"])]
)
def test_there_is_nothing_in_none(asked, expected):
    assert codes(MISSING.format(asked=asked)) == expected


CLASSES = """
class Head(nn.Module):
    def __init__(self, d, classes):
        super().__init__()
        self.classes = nn.Linear(d, classes)

    def forward(self, query, x):
        b, q, d = query.shape
        b, c, h, w = x.shape
        masks = torch.einsum("bqc,bchw->bqhw", query, x).sigmoid()
        scores = {scores}
        return torch.einsum("bqc,bqhw->bchw", {weights}, masks)
"""


@pytest.mark.parametrize(
    ("scores", "weights", "expected"),
    [
        ("query * 2", "F.softmax(scores, dim=-1)[..., :-1]", []),
        ("query * 2", "F.softmax(scores, dim=-1)", ["ATN302"]),
    ],
)
def test_probabilities_of_classes_of_which_one_is_left_out(scores, weights, expected):
    assert expected == [
        code
        for code in codes(CLASSES.format(scores=scores, weights=weights))
        if code.startswith("ATN3")
    ]


CODE_WORDS = """
class Encoding(nn.Module):
    def __init__(self, width, n):
        super().__init__()
        self.words = nn.Parameter(torch.zeros(n, width))
        self.n, self.width = n, width

    def forward(self, x):
        batch, t, width = x.shape
        words = {words}
        far = (x.unsqueeze(2) - words).pow(2).sum(dim=3)
        weights = F.softmax(-far, dim=2)
        return (weights.unsqueeze(3) * (x.unsqueeze(2) - words)).sum(dim=1)
"""


@pytest.mark.parametrize(
    "words", ["self.words.view((1, 1, self.n, self.width))", "self.words[None, None]"]
)
def test_positions_are_shared_among_code_words(words):
    assert codes(CODE_WORDS.format(words=words)) == []


ONES = """
import numpy as np

def distances(x):
    m = x.shape[0]
    squares = (x * x).sum(axis=1)
    return squares.reshape((m, 1)) * np.ones(shape=(1, m))
"""


def test_ones_that_spread_a_column():
    assert codes(ONES) == []


UNPACKED = """
class Attention(nn.Module):
    def __init__(self, heads):
        super().__init__()
        self.heads, self.drop = heads, nn.Dropout(0.1)

    def attend(self, q, k, v):
        B, _, N, C = q.shape
        attn = (q @ k.transpose(-2, -1)).softmax(dim=-1)
        attn = self.drop(attn)
        x = attn @ v
        x = x.transpose(1, 2).reshape(B, N, C * self.heads)
        return x
"""


def test_code_that_says_how_many_axes_a_query_has():
    assert codes(UNPACKED) == []


VECTORS = """
class Vectors(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.width, self.heads, self.d = width, heads, width // heads
        self.project = nn.Linear(width, width)

    def forward(self, vec):
        made = self.project(vec)
        return made.sum(dim=1), vec.reshape({sizes})
"""


@pytest.mark.parametrize(
    ("sizes", "expected"),
    [
        ("-1, 3, self.heads, self.d", []),
        ("-1, 2, 3, self.heads, self.d", []),
        ("-1, 3 * self.heads, self.d", ["ATN105"]),
        ("-1, self.heads, self.d + 1", ["ATN105"]),
    ],
)
def test_a_number_of_vectors_before_the_features(sizes, expected):
    assert codes(VECTORS.format(sizes=sizes)) == expected


ROWS = """
def initial(x, scale):
    a, b, h, w = x.shape
    y = x.view(b, a, -1)
    y = y.repeat(1, 1, scale)
    return y.contiguous().view({sizes})
"""


@pytest.mark.parametrize(
    ("sizes", "expected"),
    [("a, b * scale, h, w", []), ("b, a * scale, h, w", ["ATN303"])],
)
def test_rows_that_are_repeated_and_read_as_they_were(sizes, expected):
    assert codes(ROWS.format(sizes=sizes)) == expected
