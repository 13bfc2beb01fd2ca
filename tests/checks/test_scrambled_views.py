"""ATN303: which views are told to move elements, as what the elements are read, and the fix."""

import pytest

from attncheck.engine import check_source
from attncheck.settings import Settings

HEAD = "import numpy as np\nimport torch\nfrom torch import nn\n"


def found_in(code):
    return check_source(code.encode(), "x.py", Settings()).findings


def found(code):
    """(line, fix) of every finding of the rule; there must be no other."""
    findings = found_in(HEAD + code)
    assert {each.code for each in findings} <= {"ATN303"}
    return [(each.line, each.fix and each.fix.line) for each in findings]


def function(arguments, shape, *lines):
    unpacked = f"    {shape} = x.shape\n"
    body = "".join(f"    {line}\n" for line in lines)
    return f"def f(x: torch.Tensor, {arguments}):\n{unpacked}{body}"


SCRAMBLED = [
    (
        "heads folded into the batch",
        "h: int",
        "B, T, C",
        ("return x.view(B * h, T, C // h)",),
        "return x.view(B, T, h, C // h).transpose(1, 2).reshape(B * h, T, C // h)",
    ),
    (
        "heads folded into the batch, time first",
        "h: int",
        "T, B, C",
        ("return x.view(B * h, T, C // h)",),
        "return x.view(T, B, h, C // h).permute(1, 2, 0, 3).reshape(B * h, T, C // h)",
    ),
    (
        "heads taken out of the batch",
        "B: int, h: int",
        "Bh, T, d",
        ("return x.reshape(B, T, h * d)",),
        "return x.reshape(B, h, T, d).transpose(1, 2).reshape(B, T, h * d)",
    ),
    (
        "heads merged",
        "h: int",
        "B, h, T, d",
        ("return x.contiguous().view(B, T, h * d)",),
        "return x.contiguous().transpose(1, 2).reshape(B, T, h * d)",
    ),
    (
        "queries, keys and values at once",
        "h: int",
        "B, T, C",
        ("y = nn.Linear(C, 3 * C)(x)", "return y.reshape(3, B, h, T, C // h)"),
        "return y.reshape(B, T, 3, h, C // h).permute(2, 0, 3, 1, 4)",
    ),
    (
        "windows cut",
        "p: int",
        "B, H, W, C",
        ("return x.view(B, H // p, W // p, p, p, C)",),
        "return x.view(B, H // p, p, W // p, p, C).transpose(2, 3)",
    ),
    (
        "windows put back",
        "p: int, H: int, W: int",
        "B, H_p, W_p, p, p, C",
        ("x = x.view(B, H // p, W // p, p, p, C)", "return x.reshape(B, H, W, C)"),
        "return x.transpose(2, 3).reshape(B, H, W, C)",
    ),
    (
        "positions back to an image",
        "n: int",
        "B, C, H, W",
        ("y = x.flatten(2).transpose(1, 2)", "return y.reshape(B, C, H, W)"),
        "return y.transpose(1, 2).reshape(B, C, H, W)",
    ),
    (
        "split in another order than merged",
        "n: int",
        "B, H, W, C",
        ("y = x.transpose(1, 2).reshape(B, W * H, C)", "return y.view(B, H, W, C)"),
        "return y.view(B, W, H, C).transpose(1, 2)",
    ),
    (
        "a batch that was folded behind the heads",
        "h: int",
        "B, T, C",
        (
            "y = x.view(B, T, h, C // h).permute(2, 0, 1, 3).reshape(h * B, T, C // h)",
            "return y.view(B, h, T, C // h)",
        ),
        "return y.view(h, B, T, C // h).transpose(0, 1)",
    ),
]


@pytest.mark.parametrize("case", SCRAMBLED, ids=[each[0] for each in SCRAMBLED])
def test_scrambled(case):
    _, arguments, shape, lines, fix = case
    assert found(function(arguments, shape, *lines)) == [(5 + len(lines), fix)]


KEPT = [
    ("heads folded into the batch, time first", "h: int", "T, B, C", "x.view(T, B * h, C // h)"),
    ("heads split", "h: int", "B, T, C", "x.view(B, T, h, C // h).transpose(1, 2)"),
    ("an image", "n: int", "B, C, H, W", "x.view(B, C, H * W).transpose(1, 2)"),
    ("windows", "p: int", "B, H, W, C", "x.view(B, H // p, p, W // p, p, C)"),
    ("a part cut off again", "n: int", "B, T, C", "x.view(B, C, T)[:, :, 1:]"),
]


@pytest.mark.parametrize("case", KEPT, ids=[each[0] for each in KEPT])
def test_kept(case):
    _, arguments, shape, result = case
    assert found(function(arguments, shape, f"return {result}")) == []


def test_an_axis_without_a_name_may_be_one():
    code = "def f(x: torch.Tensor):\n    B, H, W, {} = x.shape\n    return x.view(-1, H * W)\n"
    assert found(code.format("_")) == []
    assert len(found(code.format("C"))) == 1


def test_message_tells_the_pieces():
    code = function("h: int", "B, T, C", "return x.view(B, h, T, C // h)")
    (finding,) = check_source((HEAD + code).encode(), "x.py", Settings()).findings
    assert "they lie as (B, T, h, C//h) and are read as (B, h, T, C//h)" in finding.message
    assert finding.message.endswith("what comes out along T is a mixture of positions")


def test_padded_rows_are_shifted_by_reading_them_in_another_length():
    code = (
        "def f(x: torch.Tensor, padding):\n    B, H, T, S = x.shape\n"
        "    y = torch.nn.functional.pad(x, (0, 1))\n"
        "    return y.view(*y.size()[:-2], y.size(-1), y.size(-2))\n"
    )
    assert found(code) == []


def test_rows_that_one_way_through_the_code_makes_and_undoes():
    code = """
def deltas(x, kernel):
    x = x.transpose(1, 2).transpose(2, -1)
    shape = x.shape
    if len(shape) == 4:
        x = x.reshape(shape[0] * shape[2], shape[1], shape[3])
    y = torch.nn.functional.conv1d(x, kernel, groups=x.shape[1])
    if len(shape) == 4:
        y = y.reshape(shape[0], shape[1], shape[2], shape[3])
    return y
"""
    assert found(code) == []


OWN = """import torch
def f(k, n, d, x):
    k = torch.squeeze(k)
    {}
"""


@pytest.mark.parametrize(
    ("line", "fix"),
    [
        (
            "return k.view(2 * n, k.shape[0], d)",
            "return k.view(k.shape[0], 2 * n, d).transpose(0, 1)",
        ),
        ("return k.reshape(n, k.size(0), d, 2)", None),
    ],
)
def test_a_tensors_own_first_axis_read_as_the_second(line, fix):
    (finding,) = check_source(OWN.format(line).encode(), "x.py", Settings()).findings
    assert (finding.code, finding.line, finding.severity) == ("ATN303", 4, "warning")
    assert fix is None or (finding.fix and finding.fix.line) == fix


@pytest.mark.parametrize(
    "line",
    [
        "return k.view(k.shape[0], 2 * n, d)",
        "return k.view(1, k.shape[0], d)",
        "return k.view(-1, k.size(0), d)",
        "return k.view(n, k.size(0))",
        "return k.view(n, x.shape[0], d)",
        "return k.view(k.size(1) + 1, k.size(0), d)",
        "return k.view(n, *k.shape)",
    ],
)
def test_views_that_may_keep_the_order(line):
    assert check_source(OWN.format(line).encode(), "x.py", Settings()).findings == ()


@pytest.mark.parametrize("comment", ["# x: (B, C, H, W)", ""])
def test_an_image_whose_channels_are_put_last_by_a_view(comment):
    code = f"""
import torch
from torch import nn

class Patches(nn.Module):
    def __init__(self, channels, d, p):
        super().__init__()
        self.proj = nn.Conv2d(channels, d, p, p)

    def forward(self, x):
        {comment}
        x = self.proj(x)
        B, D, h, w = x.shape
        return x.reshape(B, h * w, D)
"""
    findings = check_source(code.encode(), "x.py", Settings()).findings
    assert [(each.code, each.fix.line) for each in findings] == [
        ("ATN303", "return x.permute(0, 2, 3, 1).reshape(B, h * w, D)")
    ]


WINDOWS = {
    "of numpy": (
        """import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
def windows(x, w):
    t, d = x.shape
    padded = np.concatenate([np.zeros((w - 1, d)), x], axis=0)
    return sliding_window_view(padded, w, axis=0){after}
""",
        6,
        ".reshape(t, w, d)",
        ".swapaxes(1, 2)",
    ),
    "of numpy, several": (
        """import numpy as np
def windows(x):
    t, u, d = x.shape
    seen = np.lib.stride_tricks.sliding_window_view(x, (5, 3), axis=(0, 1))
    return seen{after}
""",
        5,
        ".reshape(t - 4, u - 2, 5, 3, d)",
        ".transpose(0, 1, 3, 4, 2)",
    ),
    "of torch": (
        """import torch
import torch.nn.functional as F
def windows(x):
    b, t, d = x.shape
    seen = F.pad(x, (0, 0, 3, 0)).unfold(1, 4, 1)
    return seen{after}
""",
        6,
        ".reshape(b, t, 4, d)",
        ".transpose(2, 3)",
    ),
    "as columns": (
        """import torch
import torch.nn.functional as F
def neighbours(x, heads):
    b, c, h, w = x.shape
    seen = F.unfold(x, 3, padding=1)
    return seen{after}
""",
        6,
        ".view(b, heads, 9, c // heads, h * w)",
        ".view(b, heads, c // heads, 9, h * w).transpose(2, 3)",
    ),
}


@pytest.mark.parametrize(("code", "line", "wrong", "right"), WINDOWS.values(), ids=WINDOWS)
def test_windows_stand_behind_the_features(code, line, wrong, right):
    (finding,) = found_in(code.format(after=wrong))
    assert (finding.code, finding.line) == ("ATN303", line)
    assert finding.fix.line.strip().endswith(right)
    assert found_in(code.format(after=right)) == ()


@pytest.mark.parametrize(
    "after",
    [
        ".view(b, c, 3, 3, h, w)",
        ".view(b, heads, c // heads, 9, h * w).permute(0, 1, 4, 3, 2)",
        ".reshape(b * heads, c // heads * 9, h, w)",
        ".transpose(1, 2).reshape(b, h, w, c, 9)",
        ".transpose(1, 2).reshape(b * h * w, c * 9)",
    ],
)
def test_columns_in_their_order(after):
    assert found_in(WINDOWS["as columns"][0].format(after=after)) == ()


MAPPED = """
import jax
import jax.numpy as jnp


def head(q, k, v):
    return jax.nn.softmax(q @ k.T, axis=-1) @ v


def attend(params, x):
    q, k, v = (jnp.einsum("tm,mhd->thd", x, params[n]) for n in "qkv")
    {line}
    return heads.{view} @ params["o"]
"""


@pytest.mark.parametrize(
    "view", ["reshape(x.shape[0], -1)", "reshape((len(x), -1))", "reshape(q.shape[0], -1)"]
)
@pytest.mark.parametrize(
    ("line", "fix"),
    [
        (
            "heads = jax.vmap(head, in_axes=1)(q, k, v)",
            "heads = jax.vmap(head, in_axes=1, out_axes=1)(q, k, v)",
        ),
        (
            "heads = jax.vmap(head, (1, 1, 1), 0)(q, k, v)",
            "heads = jax.vmap(head, (1, 1, 1), 1)(q, k, v)",
        ),
        (
            "heads = jax.jit(jax.vmap(head, in_axes=1, out_axes=0))(q, k, v)",
            "heads = jax.jit(jax.vmap(head, in_axes=1, out_axes=1))(q, k, v)",
        ),
    ],
)
def test_a_mapped_axis_that_stands_in_front_of_what_is_merged(line, fix, view):
    code = MAPPED.format(line=line, view=view)
    assert found(code) == [(16, fix)]
    assert found(code.replace(line, fix)) == []


@pytest.mark.parametrize(
    ("line", "view"),
    [
        ("heads = jax.vmap(head, in_axes=1)(q, k, v)", "swapaxes(0, 1).reshape(x.shape[0], -1)"),
        ("heads = jax.vmap(head, in_axes=1)(q, k, v)", "reshape(-1, v.shape[-1])"),
        ("heads = jax.vmap(head)(q, k, v)", "reshape(x.shape[0], -1)"),
        ("heads = jax.vmap(head, 1, -2)(q, k, v)", "reshape(x.shape[0], -1)"),
    ],
)
def test_mapped_axes_that_are_merged_as_they_stand(line, view):
    assert found(MAPPED.format(line=line, view=view)) == []


@pytest.mark.parametrize("between", [" * 2", ".clone()", ".softmax(-1)"])
def test_a_view_that_puts_back_what_another_took_apart_moves_nothing(between):
    code = """import torch
def shift(x, batch_size, frames):
    rows, heads, n, c = x.size()
    feat = x.view(batch_size, frames, -1, heads, 7, 7, c)
    out = feat{between}
    return out.view(rows, heads, n, c)
"""
    assert found_in(code.format(between=between)) == ()
