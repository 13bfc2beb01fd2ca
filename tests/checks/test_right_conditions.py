"""Right code whose conditions, flags and claims say what is meant; wrong twins are still told."""

import pytest

from attncheck.engine import check_source
from attncheck.settings import Settings

HEAD = "import torch\nfrom torch import nn\nimport torch.nn.functional as F\n"


def codes(code):
    return [each.code for each in check_source((HEAD + code).encode(), "x.py", Settings()).findings]


TALKING = """
class Talking(nn.Module):
    def __init__(self, dim, heads, device=None, dtype=None):
        super().__init__()
        dd = {{"device": device, "dtype": dtype}}
        self.heads = heads
        self.qkv = nn.Linear(dim, dim * 3, **dd)
        self.mix = nn.Linear(heads, heads, **dd)

    def forward(self, x):
        B, N, C = x.shape
        qkv = self.qkv(x).view(B, N, 3, self.heads, C // self.heads).permute(2, 0, 3, 1, 4)
        q, k, v = qkv.unbind(0)
        weights = (q @ k.transpose(-2, -1)).softmax(dim={axis})
        weights = self.mix(weights.permute(0, 2, 3, 1)).permute(0, 3, 1, 2)
        return (weights @ v).transpose(1, 2).reshape(B, N, C)
"""


@pytest.mark.parametrize(("axis", "expected"), [(-1, []), (-2, ["ATN301"])])
def test_heads_are_mixed_by_a_layer_that_is_told_its_device(axis, expected):
    assert codes(TALKING.format(axis=axis)) == expected


FLAGGED = """
class Attention(nn.Module):
    def forward(self, q, k, v, mask=None, **kwargs):
        padded = kwargs.get("padded", False)
        scores = q @ k.transpose(-2, -1)
        if mask is not None:
            if not padded:
                scores = scores + mask[: q.shape[1], : q.shape[1]]
            else:
                mask = mask.unsqueeze(1).eq(0){comment}
                scores = scores.masked_fill(mask, -float("inf"))
        weights = torch.softmax(scores, dim=-1)
        if mask is not None and padded:
            weights = weights.masked_fill({used}, 0.0)
        return weights @ v

class Decoder(nn.Module):
    def __init__(self, length):
        super().__init__()
        self.attention = Attention()
        self.register_buffer("mask", torch.empty(length, length).fill_(-1e9).triu_(1))

    def forward(self, x):
        return self.attention(x, x, x, mask=self.mask)
"""


@pytest.mark.parametrize(
    ("comment", "used"),
    [("", "mask"), ("  # (batch, 1, t, 1)", "mask"), ("", "mask.transpose(2, 3)")],
)
def test_a_branch_that_the_callers_flags_never_take(comment, used):
    assert codes(FLAGGED.format(comment=comment, used=used)) == []


READ_TWICE = """
def attend(scores, v, mask, padded):
    {first}
    scores = scores.masked_fill(mask, -float("inf"))
    weights = torch.softmax(scores, dim=-1)
    return weights.masked_fill({second}, 0.0) @ v
"""


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        ("mask = mask.eq(0)", "mask", []),
        ("", "mask.eq(0)", ["ATN502"]),
    ],
)
def test_one_mask_read_two_ways(first, second, expected):
    assert codes(READ_TWICE.format(first=first, second=second)) == expected


SQUEEZED = """
def last(x, h):
    # x: (B, 1, T_enc)
    {code}
    return x
"""


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("x = x.squeeze()", ["ATN205"]),
        ("x = x.squeeze() if x.dim() == 3 else x", []),
        ("x = x.squeeze(1) if torch.squeeze(x).dim() == 1 else torch.squeeze(x)", []),
        ("x = x.squeeze() if x.shape[0] > 1 else x.squeeze(1)", []),
        ("x = x.squeeze() if h is None else x", ["ATN205"]),
    ],
)
def test_a_squeeze_beside_a_question_for_the_axes(code, expected):
    assert codes(SQUEEZED.format(code=code)) == expected


MIRRORED = """
def affinity(x, y, k):
    rows, columns = x.shape
    near = torch.zeros_like(x) if k > 0 else x
    other = torch.zeros(columns, rows)
    return {sum}
"""


@pytest.mark.parametrize(
    ("sum", "expected"),
    [
        ("0.5 * (near + near.T)", []),
        ("x + x.transpose(0, 1)", []),
        ("torch.maximum(near, near.t())", []),
        ("x + other", ["ATN202"]),
    ],
)
def test_a_matrix_beside_its_own_turn(sum, expected):
    assert codes(MIRRORED.format(sum=sum)) == expected


TWO_CLAIMS = '''
class Shared(nn.Module):
    def __init__(self, words, width):
        super().__init__()
        self.words, self.width = words, width
        self.table = nn.Parameter(torch.zeros(words, width))

    def forward(self, inputs, mode="embedding"):
        """Tokens to vectors, or vectors to logits.

        Args:
            inputs: tokens of shape (batch_size, length)
        """
        if mode == "embedding":
            return self.table[inputs]
        return self.logits(inputs)

    def logits(self, inputs):
        """Logits of vectors.
{claim}
        """
        x = inputs.reshape(-1, self.width)
        return (x @ self.table.t()).view(inputs.shape[0], inputs.shape[1], self.words)
'''
OWN = """
        Args:
            inputs: vectors of shape (batch_size, length, width)
"""


@pytest.mark.parametrize(("claim", "expected"), [(OWN, []), ("", ["ATN105"])])
def test_of_two_claims_about_an_argument_neither_counts(claim, expected):
    assert codes(TWO_CLAIMS.format(claim=claim)) == expected


OTHER_BATCH = """
def attend(query, key, value):
    {names} = query.size()
    query = query.permute(1, 2, 0, 3).reshape({b} * {heads}, {t}, d)
    key = key.permute(1, 2, 3, 0).reshape({b} * {heads}, d, key.size(0))
    return torch.bmm(query, key)
"""


def test_names_that_call_another_axis_the_batch():
    code = OTHER_BATCH.format(names="sq, b, np, d", b="b", heads="np", t="sq")
    assert codes(code) == []


GROUPED = """
class Attention(nn.Module):
    def __init__(self, n_head, d, group_size=1):
        super().__init__()
        self.h, self.h_k, self.d_k = n_head, n_head // group_size, d // n_head
        self.to_q, self.to_k = nn.Linear(d, d), nn.Linear(d, d // group_size)

    def forward(self, x):
        B = x.size(0)
        q = self.to_q(x).view(B, -1, self.h, self.d_k).transpose(1, 2)
        k = self.to_k(x).view(B, -1, self.h_k, self.d_k).transpose(1, 2)
        if self.h {sign} self.h_k:
            return torch.matmul(q, k.transpose(-2, -1))
        else:
            return q
"""


@pytest.mark.parametrize(("sign", "expected"), [("==", []), ("!=", ["ATN101"])])
def test_heads_that_are_not_divided_in_this_branch(sign, expected):
    assert codes(GROUPED.format(sign=sign)) == expected


SCALED = """
def attend(q, k, v, flash):
    # q: (B, T, d), k: (B, S, d), v: (B, S, d)
    q = {scaled}
    if flash:
        return F.scaled_dot_product_attention(q, k, v)
    return (q @ k.transpose(-2, -1)).softmax(-1) @ v
"""


@pytest.mark.parametrize(
    ("scaled", "expected"),
    [
        ("q if flash else q * q.shape[-1] ** -0.5", []),
        ("q * q.shape[-1] ** -0.5 if not flash else q", []),
        ("q * q.shape[-1] ** -0.5", ["ATN506"]),
        ("q * q.shape[-1] ** -0.5 if flash else q", ["ATN506"]),
    ],
)
def test_a_scale_for_the_branch_that_does_not_scale_itself(scaled, expected):
    assert codes(SCALED.format(scaled=scaled)) == expected


ONE_ITEM = '''
def pad(points, train):
    """Points with a 1 behind each.

    Args:
        points: `[b, m, d]` where to evaluate
        train: `[b, n, d]` what is known
    """
    {points}
    ones = torch.ones_like(points[..., :1])
    return torch.cat((points, ones), 2) @ train.transpose(1, 2)
'''


def test_one_item_of_the_batch_of_which_the_docstring_speaks():
    code = ONE_ITEM.replace("@ train.transpose(1, 2)", "+ train.sum()")
    assert codes(code.format(points="points = points.unsqueeze(0)")) == []
    assert codes(code.format(points="points = points.unsqueeze(1)")) == ["ATN106"]


LENGTHS = """
def pool(hidden, lengths, w):
    '''hidden: (B, T, H), lengths: (B,), w: (H,)'''
    steps = torch.arange(hidden.size(1))
    mask = {mask}
    weights = (hidden @ w).masked_fill(~mask, -1e9).softmax(dim=-1)
    return torch.einsum("bt,bth->bh", weights, hidden)
"""


def test_lengths_that_are_given_an_axis_are_no_item_of_a_batch():
    right, wrong = "steps[None] < lengths[:, None]", "steps[:, None] < lengths.unsqueeze(0)"
    assert codes(LENGTHS.format(mask=right)) == []
    assert codes(LENGTHS.format(mask=wrong)) == ["ATN202"]


BY_KIND = """
class Blur(nn.Module):
    def __init__(self, dims):
        super().__init__()
        self.dims = dims

    def forward(self, x):
        if self.dims == 2:
            return x.sum(3)
        b, _, f, _, _ = x.shape
        return x.transpose(1, 2).reshape(b * f, -1)

class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.blur = Blur(2)

    def forward(self, x):
        b, c, h, w = x.shape
        return self.blur(x)
"""


def test_what_objects_of_another_kind_are_given():
    assert codes(BY_KIND) == []
    assert codes(BY_KIND.replace("Blur(2)", "Blur(3)")) == ["ATN104"]


SHAPED = """
class Reader(nn.Module):
    def frames(self, video, shaped=False):
        if shaped is False:
            b, t, c, h, w = video.shape
            video = video.view(b * t, c, h, w)
        return video

    def forward(self, video):
        b, t, c, h, w = video.shape
        return self.frames(video.view(b * t, c, h, w){given})
"""


@pytest.mark.parametrize(("given", "expected"), [(", shaped=True", []), ("", ["ATN104"])])
def test_a_flag_compared_by_identity(given, expected):
    assert codes(SHAPED.format(given=given)) == expected


GATED = """
class Gated(nn.Module):
    def __init__(self, channels, inner):
        super().__init__()
        self.wide = nn.Conv2d(channels, inner * 2, 1)
        self.narrow = nn.Conv2d({inner}, channels, 1)

    def forward(self, hidden_states):
        hidden_states, gate = torch.chunk(self.wide(hidden_states), 2, dim=1)
        return self.narrow(hidden_states * gate)
"""


def test_images_that_are_called_like_sequences():
    assert codes(GATED.format(inner="inner")) == []


EMPTY = """
from typing import NamedTuple

class Hypotheses(NamedTuple):
    scores: torch.Tensor = torch.tensor([])  # (batch,)
    lengths: torch.Tensor = torch.zeros(2, 0)  # (batch, time)

def fill(n):
    found = torch.tensor([])  # (batch,)
    return found
"""


def test_nothing_yet_in_the_place_of_what_a_comment_tells():
    assert codes(EMPTY) == []
