"""Right code that looks like a bug in one respect: nothing is said about it."""

import pytest

from attncheck.engine import check_source
from attncheck.settings import Settings

HEAD = "import torch\nfrom torch import nn\nimport torch.nn.functional as F\n"

COLUMN = """
def transform(n):
    k = torch.arange(n, dtype=torch.float32)
    return {expression}
"""

COMPARED = """
def aligned(x, other):
    b, n = x.shape
    y = other.reshape(n, b)
    return {expression}
"""

SINKHORN = """
def mix(q, k, x, rounds):
    weights = (q @ k.transpose(-1, -2)).softmax(-1)
    {again}
    return weights.transpose(-1, -2) @ x

y = mix(torch.ones(2, 5, 4), torch.ones(2, 5, 4), torch.ones(2, 5, 3), 2)
"""

POINTER = """
def order(q, k):
    n = q.shape[1]
    logits = q @ k.transpose(-2, -1)
    past = torch.tril(torch.ones(n, n)).bool()
    logits = logits.masked_fill(past, -1e4)
    return {result}
"""

ASKED = """
def shifted(x, kinds=None):
    b, n, d = x.shape
    {asking}
    marked = kinds == 1
    return torch.roll(marked, shifts=1, dims=-1)[..., :n]
"""


def codes(code):
    return [each.code for each in check_source((HEAD + code).encode(), "x.py", Settings()).findings]


@pytest.mark.parametrize(
    ("expression", "expected"),
    [("k.view(-1, 1) * k", []), ("k[:, None] * k / 2", []), ("-2.0 * k.reshape(-1, 1) * k", [])],
)
def test_a_column_that_meets_its_own_row(expression, expected):
    assert codes(COLUMN.format(expression=expression)) == expected


@pytest.mark.parametrize(
    ("expression", "expected"), [("x == y", []), ("x < y", []), ("x + y", ["ATN202"])]
)
def test_tensors_that_are_compared_in_another_order(expression, expected):
    assert codes(COMPARED.format(expression=expression)) == expected


@pytest.mark.parametrize(
    ("again", "expected"),
    [
        ("weights = weights / weights.sum(-2, keepdim=True)", []),
        ("weights = weights / (weights.sum(-2, keepdim=True) + 1e-6)", []),
        ("pass", ["ATN302"]),
    ],
)
def test_weights_that_are_normalised_once_more(again, expected):
    """Sinkhorn's iteration makes both the rows and the columns of a matrix sum to one."""
    assert codes(SINKHORN.format(again=again)) == expected


@pytest.mark.parametrize(
    ("result", "expected"),
    [("logits", []), ("logits.sigmoid()", []), ("logits.softmax(-1) @ k", ["ATN502"])],
)
def test_masks_on_what_is_no_score(result, expected):
    assert codes(POINTER.format(result=result)) == expected


@pytest.mark.parametrize("asking", ["pass", "kinds = kinds.to(x.device)"])
def test_an_argument_that_is_never_asked_for_is_given(asking):
    assert codes(ASKED.format(asking=asking)) == []


UNSEEN = """
from elsewhere import kinds_of

def shifted(x):
    kinds = kinds_of(x)
    marked = {marked}
    return torch.roll(marked, shifts=1, dims=-1)
"""


@pytest.mark.parametrize("marked", ["kinds == 1", "(kinds == 1) | (kinds == 2)", "~(kinds == 1)"])
def test_what_is_compared_without_being_known_may_have_any_axes(marked):
    assert codes(UNSEEN.format(marked=marked)) == []


VIEWED = """
def beside(x, y):
    batch, length = y.shape
    if length != x.shape[1]:
        raise ValueError
    return x.view({sizes})
"""


@pytest.mark.parametrize("sizes", ["batch, length, -1", "batch, -1, length", "-1, batch, length"])
def test_a_view_by_the_sizes_of_another_tensor(sizes):
    assert codes(VIEWED.format(sizes=sizes)) == []


GIVEN_AXES = """
def table(x, y, n):
    b, t = x.shape
    a = x.view(b, t, 1) * n
    return a + {other}
"""


@pytest.mark.parametrize("other", ["x.view(b, 1, t)", "x.reshape(b, -1, t)"])
def test_tables_of_two_tensors_that_were_both_given_axes(other):
    assert codes(GIVEN_AXES.format(other=other)) == []


CLASSIFIER = """
class Classifier(nn.Module):
    def __init__(self, width, classes):
        super().__init__()
        self.norm = nn.BatchNorm1d(width)
        self.linear = nn.Linear(width, classes)

    def forward(self, {name}):
        return self.linear(self.norm({name}))
"""


@pytest.mark.parametrize("name", ["hidden_state", "hidden_states", "embeddings"])
def test_sizes_that_fit_with_an_axis_less_than_a_name_says(name):
    assert codes(CLASSIFIER.format(name=name)) == []


LAYERED = """
class Layer(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.q = nn.Linear(d, d)

    def forward(self, x):
        weights = (self.q(x) @ x.transpose(-2, -1)).softmax(-1)
        x = weights @ x
        n = x.shape[1]
        past = torch.tril(torch.ones(n, n)).bool()
        links = (x @ x.transpose(-2, -1)).masked_fill(past, -1e4)
        return {result}
"""


@pytest.mark.parametrize(
    ("result", "expected"), [("links", []), ("links.softmax(-1) @ x", ["ATN502"])]
)
def test_masks_on_what_is_computed_from_the_result_of_attention(result, expected):
    assert codes(LAYERED.format(result=result)) == expected


BY_NAME = """
def project(A, B):
    if A.dtype == torch.int64:
        return B.index_select(0, A)
    return {product}
"""


@pytest.mark.parametrize(
    "product", ["torch.matmul(A, B)", "A @ B", "torch.einsum('ij,jk->ik', A, B)", "F.linear(A, B)"]
)
def test_what_only_a_name_makes_a_number_is_multiplied(product):
    assert codes(BY_NAME.format(product=product)) == []


ASKED_KIND = """
def total(levels):
    y = 0
    for level in levels:
        if {asking}:
            y = torch.matmul(y, level)
        y = level + y
    return y
"""


@pytest.mark.parametrize("asking", ["torch.is_tensor(y)", "isinstance(y, torch.Tensor)"])
def test_code_that_asks_whether_there_is_a_tensor(asking):
    assert codes(ASKED_KIND.format(asking=asking)) == []


STATES = """
def step(x, width, state=None):
    several = isinstance(state, list)
    if state is None:
        state = (torch.zeros(x.shape[0], width), torch.zeros(x.shape[0], width))
    if several:
        return state[0][:, :, 0]
    return state[1]
"""


def test_none_is_no_object_of_a_class():
    assert codes(STATES) == []


DEMO = """
def is_latent(t):
    return t.dtype == torch.float

def order(x):
    if is_latent(x):
        x = x.permute(0, 2, 1)
    return x

order(torch.randint(0, 8192, (2, 100)))
"""


def test_branches_of_functions_that_a_demonstration_may_not_take():
    assert codes(DEMO) == []


BILINEAR = """
class Interaction(nn.Module):
    def __init__(self, h, d, out):
        super().__init__()
        self.h, self.d, self.out = h, d, out
        self.w = nn.Parameter(torch.zeros(h * d * d, out))

    def forward(self, x):
        x = x.view(-1, self.h, self.d)
        y = torch.matmul(x.unsqueeze(2), self.w.view(self.h, self.d, -1))
        return y.view(-1, self.h, self.out, self.d)
"""


def test_training_orders_the_axes_of_parameters():
    assert codes(BILINEAR) == []


SAGAN = """
class Attention(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.query, self.key, self.value = [make(n, c) for c in (n // 8, n // 8, n)]

    def forward(self, x):
        f, g, h = self.query(x), self.key(x), self.value(x)
        beta = F.softmax(torch.bmm(f.transpose(1, 2), g), dim=1)
        return {product}
"""


@pytest.mark.parametrize(
    ("product", "expected"),
    [
        ("torch.bmm(h, beta)", []),
        ("torch.einsum('bcj,bji->bci', h, beta)", []),
        ("torch.bmm(beta, h)", ["ATN301"]),
    ],
)
def test_weights_beside_values_of_which_nothing_is_known(product, expected):
    assert codes(SAGAN.format(product=product)) == expected


POOLED = """
class Spatial(nn.Module):
    def __init__(self):
        super().__init__()
        self.pool = nn.AdaptiveAvgPool2d((7, 7))
        self.conv = nn.Conv2d(2, 1, kernel_size=7, padding=3)
        self.norm = nn.LayerNorm(1)

    def forward(self, x):
        x = torch.cat([x.mean(dim=1, keepdim=True), x.amax(dim=1, keepdim=True)], dim=1)
        return self.norm(self.conv({pooled}).flatten(2).transpose(1, 2))
"""


@pytest.mark.parametrize("pooled", ["x", "self.pool(x)", "F.max_pool2d(x, 2)"])
def test_channels_of_images_that_may_have_no_batch(pooled):
    assert codes(POOLED.format(pooled=pooled)) == []


COMPARED_NUMBERS = """
import numpy as np
from elsewhere import resize

class Groups(nn.Module):
    def __init__(self, groups):
        super().__init__()
        self.matrix = (groups > 0) + 0.

    def forward(self, x):
        return torch.matmul(x, self.matrix)

def cut(m, size):
    mask = np.array(resize(m, size) > 0.5, dtype=np.uint8)
    return mask[1:2, 3:4]
"""


def test_what_a_comparison_gives_may_have_any_shape():
    assert codes(COMPARED_NUMBERS) == []


BY_TEXT = """
class Recommender(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.SEQUENCE = config["ID"] + config["SUFFIX"]
        self.NEGATIVE = config["PREFIX"] + config["ID"]
        self.items = nn.Embedding(10, 8)

    def forward(self, sequence):
        b, n = sequence.shape
        return self.items(sequence).sum(dim=1)

    def loss(self, interaction):
        made = self.forward(interaction[self.SEQUENCE])
        score = (made * self.items(interaction[self.NEGATIVE])).sum(dim=-1)  # [B]
        return score
"""


def test_what_lies_under_texts_that_settings_make_is_not_all_alike():
    assert codes(BY_TEXT) == []


UNSET = """
from dataclasses import dataclass

@dataclass
class Settings:
    width: int = -1

class Model(nn.Module):
    def __init__(self, settings):
        super().__init__()
        self.mask = nn.Parameter(torch.FloatTensor(settings.width))

def build(**given):
    settings = Settings()
    {changed}
    return Model(settings).mask

build(width=3)
"""


@pytest.mark.parametrize(
    ("changed", "expected"),
    [("for name in given:\n        setattr(settings, name, given[name])", []), ("", ["ATN105"])],
)
def test_settings_that_are_changed_by_names_that_are_not_known(changed, expected):
    assert codes(UNSET.format(changed=changed)) == expected


EARLY = """
class Model(nn.Module):
    def __init__(self, n, d):
        super().__init__()
        self.emb = nn.Embedding(n, d)
        self.out = nn.Linear(d, n)

    def forward(self, x, return_loss=False):
        if return_loss:
            x, labels = x[:, :-1], x[:, 1:]
        logits = self.out(self.emb(x))
        if not return_loss:
            return logits
        return F.cross_entropy(logits.transpose(1, 2), labels)

    def generate(self, start=None, **kwargs):
        if start is None:
            start = torch.randint(0, 8, (1, 1))
        return self.forward(start, **kwargs)
"""


def test_what_follows_where_a_called_function_may_have_returned():
    assert codes(EARLY) == []


FIELDS = """
import jax.numpy as jnp
from elsewhere import Layer

class Grams(Layer):
    width: int = 0

    def __call__(self, x):
        assert self.width
        return jnp.reshape(x, [-1, self.width])
"""


def test_fields_that_are_to_be_set():
    assert codes(FIELDS) == []


TURNED = """
import jax.numpy as jnp

def table(key_mask):
    b, _, _, s = key_mask.shape
    keys = key_mask[:, :1, :1].astype(jnp.float32)
    queries = jnp.transpose(keys, [0, 1, 3, 2])
    return {table}
"""


@pytest.mark.parametrize("table", ["jnp.minimum(queries, keys)", "queries * keys"])
def test_a_row_and_its_own_transpose(table):
    assert codes(TURNED.format(table=table)) == []


SHIFTED = """
import tensorflow as tf

def shift(x):
    b, q, k = tf.shape(x)[0], tf.shape(x)[1], tf.shape(x)[2]
    x = tf.pad(x, [[0, 0], [0, 0], [1, 0]])
    x = tf.reshape(x, (b, k + 1, q))
    return tf.reshape(x[:, 1:, :], (b, q, k))
"""


def test_the_shift_of_relative_positions_on_what_nothing_is_known_of():
    assert codes(SHIFTED) == []


def test_infinity_is_no_position():
    code = "def f(n):\n    i = torch.arange(n)\n    return torch.where(i < float('inf'), i, 0)\n"
    assert codes(code) == []


LAZY = """
import numpy as np
from elsewhere import lazily

nn = lazily("torch.nn")

class Layer(nn.Module):
    def forward(self, x):
        x = {array}
        return x.transpose(1, 2)
"""


@pytest.mark.parametrize(
    ("array", "expected"), [("x", []), ("np.asarray(x) + np.zeros((2, 3, 4))", ["ATN104"])]
)
def test_transposes_of_arrays_of_no_known_library(array, expected):
    code = LAZY.format(array=array)
    findings = check_source(code.encode(), "x.py", Settings()).findings
    assert [each.code for each in findings] == expected


def test_distinct_rows_are_rows():
    code = "def f(a, b):\n    for row in torch.unique(torch.stack([a, b], 1), dim=0):\n"
    assert codes(code + "        yield row[0], row[1]\n") == []


RENORMALISED = """
def l1norm(t, eps=1e-8):
    return F.normalize(t + eps, p=1, dim=-1)

def slots(q, k, v):
    b, n, d = q.shape
    weights = (q @ k.transpose(1, 2)).softmax(dim=1)
    return {weights} @ v
"""


@pytest.mark.parametrize(
    ("weights", "expected"), [("l1norm(weights)", []), ("weights", ["ATN301"])]
)
def test_weights_of_slots_that_compete_for_the_inputs(weights, expected):
    assert codes(RENORMALISED.format(weights=weights)) == expected


SHUFFLED = """
def shuffle(x):
    rows, cols = x.shape
    x = x.view(rows // 32, 2, 16, cols // 8, 2, 4)
    x = x.permute(0, 3, 5, 2, 4, 1).contiguous()
    return x.view({sizes})
"""


@pytest.mark.parametrize(("sizes", "expected"), [("rows, cols", []), ("cols, rows", ["ATN303"])])
def test_tiles_that_are_put_in_another_order(sizes, expected):
    assert codes(SHUFFLED.format(sizes=sizes)) == expected


BOTH_GIVEN = """
from einops import rearrange

def masks(x, y):
    b, one, t = x.shape
    return rearrange(x, "b 1 t -> b 1 t 1") * rearrange({other}, "b 1 t -> b 1 1 t")
"""


def test_tables_of_two_masks_that_a_pattern_gave_axes():
    assert codes(BOTH_GIVEN.format(other="x")) == []


WINDOWS = """
def attend(q, k, v, bias, mask, shifted):
    b, h, n, d = q.shape
    weights = q.matmul(k.transpose(-2, -1)) + bias
    if shifted:
        weights = weights.view(b // 4, 4, h, q.size(2), q.size(2)) + mask.unsqueeze(1)
        weights = weights.view(-1, h, q.size(2), q.size(2))
    return F.softmax(weights, dim=-1).matmul(v)
"""


def test_weights_of_which_one_branch_says_that_they_are_square():
    assert codes(WINDOWS) == []


@pytest.mark.parametrize(
    ("norm", "expected"),
    [
        ("x.norm(p=2, dim=(1, 2, 3), keepdim=True)", []),
        ("torch.norm(x, 1, dim=(1, 2, 3))", []),
        ("x.norm(p='fro', dim=(1, 2, 3))", ["ATN104"]),
        ("torch.norm(x, dim=(1, 2, 3))", ["ATN104"]),
        ("torch.linalg.norm(x, dim=(1, 2, 3))", ["ATN104"]),
    ],
)
def test_norms_over_many_axes(norm, expected):
    assert codes(f"x = torch.ones(2, 3, 4, 5)\ny = {norm}\n") == expected


def test_the_larger_of_two_where_nobody_knows_the_second():
    code = "def f(x, least):\n    return 4 * torch.max(torch.square(x).mean(), least) + x.mean()\n"
    assert codes(code) == []


OUTER = """
def outer(a, b):
    bsz, n, d = a.shape
    a = a.view(bsz, n, 1, d, 1)
    b = b.view(bsz, 1, n, 1, d)
    return a * b
"""


def test_tables_of_two_arguments_that_were_both_viewed():
    assert codes(OUTER) == []


KINDS = """
class Model(nn.Module):
    def __init__(self, d, h):
        super().__init__()
        self.attn = nn.MultiheadAttention(d, h, batch_first=True)

    def forward(self, x, kinds):
        b, n, d = x.shape
        kinds = kinds.view(n)
        queries, keys = kinds[:, None], kinds[None, :]
        hidden = {mask}
        return self.attn(x, x, x, attn_mask=hidden)[0]
"""


@pytest.mark.parametrize(
    "mask", ["(queries != keys) & (queries != 2)", "(queries != keys) | (keys == 3)"]
)
def test_masks_that_are_said_to_be_of_queries(mask):
    assert codes(KINDS.format(mask=mask)) == []


SIZED = """
class Attention(nn.Module):
    def __init__(self, n_heads, dim):
        super().__init__()
        self.n_heads, self.dim = n_heads, dim
        self.q, self.out = nn.Linear(dim, dim), nn.Linear(dim, dim)

    def forward(self, query, key=None):
        b, n, dim = query.size()
        if key is not None:
            _, m, dim = key.size()
        x = self.q(query).view(b, n, self.n_heads, -1).transpose(1, 2)
        return self.out(x.transpose(1, 2).reshape(b, n, dim))
"""


def test_sizes_that_another_argument_may_say():
    assert codes(SIZED) == []


EITHER = """
class Spatial(nn.Module):
    def __init__(self, channels, inner, linear):
        super().__init__()
        self.linear = linear
        if linear:
            self.proj = nn.Linear(channels, inner)
        else:
            self.proj = {other}

    def forward(self, x):
        b, c, h, w = x.shape
        {before}
        x = x.flatten(2).transpose(1, 2)
        if self.linear:
            x = self.proj(x)
        return x
"""


@pytest.mark.parametrize("before", ["if not self.linear:\n            x = self.proj(x)", "pass"])
def test_one_of_two_layers_by_a_flag(before):
    code = EITHER.format(other="nn.Conv2d(channels, inner, 1)", before=before)
    assert codes(code) == []


GUARDED = """
def fill(scores, mask):
    \"\"\"Fill.

    Args:
        scores (`torch.Tensor` of shape `(batch, heads, time1, time2)`): Scores.
        mask (`torch.Tensor` of shape `(batch, time2)`): Mask.
    \"\"\"
    b, h, n, m = scores.shape
    expected = (b, 1, m)
    {guard}
    return scores.masked_fill(mask.unsqueeze(1), -1e9).softmax(-1)
"""


@pytest.mark.parametrize(
    ("guard", "expected"),
    [("if mask.size() != expected:\n        raise ValueError(mask)", []), ("pass", ["ATN501"])],
)
def test_a_guard_says_more_than_a_docstring(guard, expected):
    assert codes(GUARDED.format(guard=guard)) == expected


CANDIDATES = """
def chosen(ids):
    \"\"\"Choose.

    Args:
        ids (`torch.LongTensor` of shape `(batch_size, sequence_length)`): Ids.
    \"\"\"
    more = torch.arange(5)
    return torch.cat((ids, more[:3].unsqueeze(0)), dim=1)
"""


def test_an_axis_of_one_that_was_put_in_to_join():
    assert codes(CANDIDATES) == []


PICKED = """
import numpy as np

def some(x, lengths, k: int):
    rows = {rows}
    return x[rows]

some(torch.ones(5, 3), torch.tensor([4, 5]), 2)
"""


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        ("torch.randperm(lengths[0])[:k]", []),
        ("torch.randperm(lengths.max())[:k]", []),
        ("torch.randperm(len(x))[:k]", []),
        ("np.random.permutation(lengths[0].item())[:k]", []),
        ("torch.randperm(lengths[0])[:k, 0]", ["ATN104"]),
    ],
)
def test_numbers_of_which_a_tensor_says_how_many(rows, expected):
    assert codes(PICKED.format(rows=rows)) == expected


GRID = """import torch
def windows(x, p):
    B, C, H, W = x.shape
    x = x.reshape(B, C, H // p, p, W // p, p).permute(0, 2, 4, 3, 5, 1)
    return x.reshape(B, (H // p) * (W // p), p * p, C)
def image(x, p, rows, columns):
    B, _, _, C = x.shape
    x = x.reshape(B, rows, columns, p, p, C).permute(0, 5, 1, 3, 2, 4)
    return x.reshape(B, C, rows * p, columns * p)
def both(x, p, g):
    B, C, H, W = x.shape
    x = image(windows(x, p), p, H // p, W // p)
    return windows(x, H // p)
"""


def test_a_grid_of_what_windows_were_put_together_to():
    assert check_source(GRID.encode(), "x.py", Settings()).findings == ()


BACKWARD = """import numpy as np
def softmax(x):
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)
def gradients(Q, K, V, d_output):
    weights = softmax(Q @ K.swapaxes(-1, -2) / np.sqrt(Q.shape[-1]))
    d_values = weights.swapaxes(-1, -2) @ d_output
    d_weights = d_output @ V.swapaxes(-1, -2)
    d_scores = weights * (d_weights - (d_weights * weights).sum(axis=-1, keepdims=True))
    return d_scores @ K, d_scores.swapaxes(-1, -2) @ Q, d_values
Q, K, V, d_output = np.random.default_rng(0).standard_normal((4, 2, 7, 3))
gradients(Q, K, V, d_output)
"""


def test_the_gradients_of_attention():
    assert check_source(BACKWARD.encode(), "x.py", Settings()).findings == ()
