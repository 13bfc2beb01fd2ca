"""ATN105: views that torch refuses as they would have to copy, and the views that it gives."""

import random
import traceback

import pytest

from attncheck.engine import check_source
from attncheck.settings import Settings

torch = pytest.importorskip("torch")

HEAD = "import torch\nfrom torch import nn\nimport torch.nn.functional as F\n"


def findings(code):
    return check_source((HEAD + code).encode(), "x.py", Settings()).findings


def fixes(code):
    """(line, fix) of every finding; there must be none of another rule."""
    found = findings(code)
    assert {each.code for each in found} <= {"ATN105"}
    return [(each.line, each.fix and each.fix.line) for each in found]


MODULE = """
class Attention(nn.Module):
    def __init__(self, size, heads):
        super().__init__()
        self.size, self.heads, self.d_k = size, heads, size // heads
        self.q, self.k, self.v = nn.Linear(size, size), nn.Linear(size, size), nn.Linear(size, size)

    def split(self, x):
        return x.view(x.size(0), -1, self.heads, self.d_k).transpose(1, 2)

    def forward(self, query, key, value, mask=None):
        bs = query.size(0)
        q, k, v = self.split(self.q(query)), self.split(self.k(key)), self.split(self.v(value))
        scores = q @ k.transpose(-2, -1) / self.d_k ** 0.5
        if mask is not None:
            scores = scores.masked_fill(mask == 0, -1e9)
        alpha = F.dropout(F.softmax(scores, dim=-1), 0.1)
        ctx = alpha @ v
        {merged}
        return ctx
"""

MERGED = [
    (
        "ctx = ctx.transpose(1, 2).view(bs, -1, self.size)",
        "ctx = ctx.transpose(1, 2).reshape(bs, -1, self.size)",
    ),
    (
        "ctx = ctx.permute(0, 2, 1, 3).view(bs, -1, self.heads * self.d_k)",
        "ctx = ctx.permute(0, 2, 1, 3).reshape(bs, -1, self.heads * self.d_k)",
    ),
    (
        "ctx = torch.relu(ctx.transpose(1, 2)).view(bs, -1, self.size)",
        "ctx = torch.relu(ctx.transpose(1, 2)).reshape(bs, -1, self.size)",
    ),
    (
        "ctx = (F.dropout(ctx, 0.1).movedim(1, 2) * 2).view((bs, -1, self.size))",
        "ctx = (F.dropout(ctx, 0.1).movedim(1, 2) * 2).reshape((bs, -1, self.size))",
    ),
    (
        "ctx = ctx.contiguous().transpose(1, 2).clone().view(bs, -1, self.size)",
        "ctx = ctx.contiguous().transpose(1, 2).clone().reshape(bs, -1, self.size)",
    ),
    (
        "ctx = ctx.transpose(1, 2).unsqueeze(1).view(bs, -1, self.size)",
        "ctx = ctx.transpose(1, 2).unsqueeze(1).reshape(bs, -1, self.size)",
    ),
    (
        "ctx = ctx.transpose(1, 2).view_as(query)",
        "ctx = ctx.transpose(1, 2).reshape_as(query)",
    ),
]


@pytest.mark.parametrize(("merged", "fix"), MERGED)
def test_heads_merged_that_are_only_transposed(merged, fix):
    line = 4 + MODULE.split("\n").index("        {merged}")
    assert fixes(MODULE.format(merged=merged)) == [(line, fix)]
    assert fixes(MODULE.format(merged=fix)) == []


RIGHT = [
    "ctx = ctx.transpose(1, 2).contiguous().view(bs, -1, self.size)",
    "ctx = torch.clone(ctx.transpose(1, 2), memory_format=torch.contiguous_format)\n"
    "        ctx = ctx.view(bs, -1, self.size)",
    "ctx = ctx.transpose(1, 2).flatten(2)",
    "ctx = F.softmax(ctx.transpose(1, 2), -1).view(bs, -1, self.size)",
    "ctx = F.layer_norm(ctx.transpose(1, 2), [self.d_k]).view(bs, -1, self.size)",
    "ctx = torch.cat(ctx.split(1, dim=1), dim=-1).view(bs, -1, self.size)",
    "ctx = torch.einsum('bhtd->bthd', ctx).view(bs, -1, self.size)",
    "ctx = F.scaled_dot_product_attention(q, k, v).transpose(1, 2).view(bs, -1, self.size)",
    "ctx = ctx.transpose(1, 2).view(bs, -1, self.heads, 2, self.d_k // 2)",
    "ctx = ctx.transpose(1, 2).transpose(1, 2).view(bs * self.heads, -1, self.d_k)",
    "ctx = ctx[:, :, -1:].transpose(1, 2).view(bs, 1, self.size)",
    "ctx = ctx.transpose(1, 2) + query.view(bs, -1, self.heads, self.d_k)\n"
    "        ctx = ctx.view(bs, -1, self.size)",
    "ctx = elsewhere(ctx).transpose(1, 2).view(bs, -1, self.size)",
    """try:
            ctx = ctx.transpose(1, 2).view(bs, -1, self.size)
        except RuntimeError:
            ctx = ctx.transpose(1, 2).reshape(bs, -1, self.size)""",
    """ctx = ctx.transpose(1, 2)
        if not ctx.is_contiguous():
            ctx = ctx.contiguous()
        ctx = ctx.view(bs, -1, self.size)""",
    """ctx = ctx.transpose(1, 2)
        ctx = ctx.contiguous() if mask is None else ctx
        ctx = ctx.view(bs, -1, self.size)""",
]


@pytest.mark.parametrize("merged", RIGHT)
def test_views_that_may_be_had(merged):
    assert fixes("from somewhere import elsewhere\n" + MODULE.format(merged=merged)) == []


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("torch.zeros(2, 5, 3, 4)", "merges axes of 3 and 4 that"),
        ("torch.zeros(2, 5, 1, 4)", None),
        ("torch.zeros(2, 1, 3, 4)", None),
        ("torch.zeros(1, 5, 3, 4)", "merges axes of 3 and 4 that"),
    ],
)
def test_an_axis_of_one_is_in_nobodys_way(given, expected):
    code = f"x = {given}.transpose(1, 2).contiguous().transpose(1, 2)\n"
    code += "y = x.view(x.shape[0], x.shape[1], -1)\n"
    found = findings(code)
    assert [expected in each.message for each in found] == ([] if expected is None else [True])
    namespace = {}
    if expected is None:
        exec(HEAD + code, namespace)
    else:
        with pytest.raises(RuntimeError, match="not compatible with input tensor's size and str"):
            exec(HEAD + code, namespace)


def test_what_is_said():
    (found,) = findings(MODULE.format(merged=MERGED[0][0]))
    assert found.message.endswith(
        "merges axes of heads and size//heads that do not lie beside each other in memory: a"
        " transpose only changes strides, and the elements still lie as"
        " (B, heads, T_dec, size//heads)"
        " (hidden while T_dec == 1)"
    )
    assert [str(size) for size in found.expected.shape] == ["B", "T_dec", "heads", "size//heads"]
    assert found.fix.applicability == "safe"
    assert found.regression == ("assert ctx.shape == (bs, query.shape[1], self.size)",)


# -- random chains ---------------------------------------------------------------------------------

SIZES = dict(zip("abcde", (2, 3, 5, 7, 4), strict=True))


def _regrouped(axes, source):
    """Axes (lists of factors) with neighbours merged, an axis split, or an axis of 1 put in."""
    axes = [list(axis) for axis in axes]
    for _ in range(source.randint(1, 3)):
        place = source.randrange(len(axes))
        kind = source.choice(["merge", "merge", "split", "one"])
        if kind == "merge" and place + 1 < len(axes):
            axes[place : place + 2] = [axes[place] + axes[place + 1]]
        elif kind == "split" and len(axes[place]) > 1:
            at = source.randrange(1, len(axes[place]))
            axes[place : place + 1] = [axes[place][:at], axes[place][at:]]
        elif kind == "one" and len(axes) < 6:
            axes.insert(place, ["1"])
    return axes


def _reshaped(kind, axes, source):
    made = _regrouped(axes, source)
    sizes = [" * ".join(axis) for axis in made]
    if source.random() < 0.3:
        sizes[source.randrange(len(sizes))] = "-1"
    return f"x.{kind}({', '.join(sizes)})", made


def _permuted(axes, source):
    rank = len(axes)
    order = list(range(rank))
    if source.random() < 0.4:
        source.shuffle(order)
        return f"x.permute({', '.join(map(str, order))})", [axes[axis] for axis in order]
    one, other = source.randrange(rank), source.randrange(rank)
    order[one], order[other] = other, one
    name = source.choice(["transpose", "swapaxes", "swapdims"])
    return f"x.{name}({one}, {other - rank})", [axes[axis] for axis in order]


def _step(axes, source):
    """One more call on ``x``, and the axes that it gives."""
    kind = source.choice(["permute", "permute", "view", "reshape", "same", "copy"])
    if kind == "permute":
        return _permuted(axes, source)
    if kind in ("view", "reshape"):
        return _reshaped(kind, axes, source)
    if kind == "same":
        calls = ["x * 2", "1 - x", "x.relu()", "F.gelu(x)", "x.clone()", "F.dropout(x, 0.5)"]
        calls += ["x.double()", "x + x", "x.detach()", "nn.Identity()(x)"]
        return source.choice(calls), axes
    return source.choice(["x.contiguous()", "x.softmax(-1)", "torch.log_softmax(x, 0)"]), axes


def _chain(name, source, *, named):
    """A function that makes a tensor, reads its axes in many ways, and merges all in the end."""
    count = source.randint(2, 4)
    axes = [[source.choice("122345")] for _ in range(count)]
    if named:
        axes = [[factor] for factor in source.sample(sorted(SIZES), count)]
    factors = sorted({factor for (factor,) in axes if named})
    lines = [f"def {name}({', '.join(f'{factor}: int' for factor in factors)}):"]
    lines.append(f"    x = torch.zeros({', '.join(factor for (factor,) in axes)})")
    for _ in range(source.randint(2, 7)):
        call, axes = _step(axes, source)
        lines.append(f"    x = {call}")
    return [*lines, f"    return x.view({source.choice(['-1', '-1, 1'])})", ""]


def _refused(function):
    """The line in which torch refuses a view, or None."""
    code = function.__code__
    try:
        function(*(SIZES[name] for name in code.co_varnames[: code.co_argcount]))
    except RuntimeError as error:
        assert "view size is not compatible" in str(error)
        return traceback.extract_tb(error.__traceback__)[1].lineno
    return None


@pytest.mark.parametrize("named", [False, True], ids=["numbers", "names"])
@pytest.mark.parametrize("seed", range(12))
def test_views_are_refused_where_torch_refuses_them(seed, named):
    source = random.Random(f"{seed} {named}")
    lines = HEAD.split("\n")[:-1]
    for index in range(16):
        lines += _chain(f"chain_{index}", source, named=named)
    code = "\n".join(lines)
    namespace = {}
    exec(compile(code, "chains", "exec"), namespace)
    chains = [each for name, each in namespace.items() if name.startswith("chain_")]
    refused = {each.__name__: line for each in chains if (line := _refused(each)) is not None}
    found = check_source(code.encode(), "x.py", Settings()).findings
    assert {each.code for each in found} <= {"ATN105"}
    first = {}
    for each in found:
        first.setdefault(each.function, each.line)
    assert first == refused
    assert 0 < len(refused) < 16
