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


PARTS = """
class Model(nn.Module):
    def __init__(self, words, d):
        super().__init__()
        self.table, self.head = nn.Embedding(words, d), nn.Linear(d, words)

    def forward(self, tokens, n: int):
        logits = self.head(self.table(tokens))
        B, T, V = logits.shape
        return {result}
"""
CUT = "a slice copies nothing, and what it leaves out still lies between the rows of"
COPIED = "copies that only a stride of 0 makes have no place among the elements, which are"


@pytest.mark.parametrize(
    ("result", "why"),
    [
        ("logits[:, :-1].view(-1, V)", f"B and T - 1 {CUT} (B, T - 1, words)"),
        ("logits[..., 1:, :].view(-1, V)", f"B and T - 1 {CUT} (B, T - 1, words)"),
        ("logits[:, :-1, :].detach().view(B * (T - 1), V)", f"B and T - 1 {CUT} (B, T - 1, words)"),
        ("logits[:, -1].view(-1)", f"B and words {CUT} (B, words)"),
        ("logits[:, None].expand(-1, 4, -1, -1).view(-1, T, V)", f"B and 4 {COPIED} (B, T, words)"),
        ("logits.expand(3, -1, -1, -1).view(3 * B, T, V)", f"3 and B {COPIED} (B, T, words)"),
        (
            "(logits[:, :-1] * 2).transpose(0, 1).view(-1, V)",
            "T - 1 and B a transpose only changes strides, and the elements still lie as"
            " (B, T - 1, words)",
        ),
    ],
)
def test_parts_and_copies_that_are_merged(result, why):
    code = PARTS.format(result=result)
    (found,) = findings(code)
    assert found.code == "ATN105"
    text = found.message.replace(" that do not lie beside each other in memory:", "")
    assert f"merges axes of {why}" in text
    fix = f"return {'reshape'.join(result.rsplit('view', 1))}"
    assert (found.line, found.fix and found.fix.line) == (13, fix)
    run = HEAD + code + "\nModel(7, 4)(torch.ones(2, 5).long(), 3)\n"
    with pytest.raises(RuntimeError, match="not compatible with input tensor's size and stride"):
        exec(run, {})
    exec(run.replace(result, fix.removeprefix("return ")), {})


@pytest.mark.parametrize(
    "result",
    [
        "logits[:, :-1].contiguous().view(-1, V)",
        "logits[:, :-1].reshape(-1, V)",
        "(logits[:, :-1] * 2).view(-1, V)",
        "logits[:, :-1].clone().view(-1, V)",
        "logits[:, :-1].view(B, -1, 1, V)",
        "logits[:, :n].view(B * n, V)",
        "logits[:n].view(-1, V)",
        "logits[1:].view(-1, V)",
        "logits[:, ::2].view(-1, V)",
        "logits[:, torch.arange(2)].view(-1, V)",
        "logits[:, :, 0].view(-1)",
        "logits[:, -1].view(B, 1, V)",
        "logits.expand(3, -1, -1, -1).view(3, -1, V)",
        "logits[:, None].expand(-1, n, -1, -1).contiguous().view(-1, T, V)",
        "logits.repeat(3, 1, 1).view(-1, V)",
    ],
)
def test_parts_and_copies_of_which_nothing_is_said(result):
    assert fixes(PARTS.format(result=result)) == []


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

SIZES = dict(zip("abcde", (3, 4, 5, 7, 8), strict=True))


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


def _part(axes, source):
    """A slice along an axis, or one element of it; of more factors than one nothing is left out."""
    axis = source.randrange(len(axes))
    before = ", ".join(":" * axis)
    key = f"{before}, " if axis else ""
    if source.random() < 0.3 and len(axes) > 1:
        return f"x[{key}{source.choice(['0', '-1'])}]", axes[:axis] + axes[axis + 1 :]
    (factor, *more) = axes[axis]
    if more or factor in "12" or factor.startswith("("):
        return f"x[{key}:]", axes
    less = str(int(factor) - 1) if factor.isdigit() else f"({factor} - 1)"
    return f"x[{key}{source.choice(['1:', ':-1'])}]", [*axes[:axis], [less], *axes[axis + 1 :]]


def _stretched(axes, source):
    """Axes of 1 made longer."""
    sizes = [["3"] if axis == ["1"] else axis for axis in axes]
    texts = ["3" if axis == ["1"] else "-1" for axis in axes]
    if source.random() < 0.5:
        return f"x.expand(2, {', '.join(texts)})", [["2"], *sizes]
    return f"x.expand({', '.join(texts)})", sizes


def _step(axes, source):
    """One more call on ``x``, and the axes that it gives."""
    kind = source.choice(["permute", "permute", "view", "reshape", "same", "copy", "part", "one"])
    if kind == "part":
        return _part(axes, source)
    if kind == "one":
        return source.choice(["x[None]", "x.unsqueeze(0)"]), [["1"], *axes]
    if kind == "permute":
        return _permuted(axes, source)
    if kind in ("view", "reshape"):
        return _reshaped(kind, axes, source)
    if kind == "same":
        calls = ["x * 2", "1 - x", "x.relu()", "F.gelu(x)", "x.clone()", "x.tanh()"]
        calls += ["x.exp()", "x + x", "x.detach()", "nn.Identity()(x)"]
        return source.choice(calls), axes
    return source.choice(["x.contiguous()", "x.softmax(-1)", "torch.log_softmax(x, 0)"]), axes


def _chain(name, source, *, named):
    """A function that makes a tensor, reads its axes in many ways, and merges all in the end.

    What is computed from copies may lie in any order, so they are made last.
    """
    count = source.randint(2, 4)
    axes = [[source.choice("122345")] for _ in range(count)]
    lines = [f"def {name}():", f"    x = torch.zeros({', '.join(size for (size,) in axes)})"]
    if named:
        axes = [[factor] for factor in source.sample(sorted(SIZES), count)]
        factors = ", ".join(factor for (factor,) in axes)
        lines = [
            f"def {name}(x: torch.Tensor):",
            f"    {factors} = x.shape",
            "    x = x.contiguous()",
        ]
    for _ in range(source.randint(2, 7)):
        call, axes = _step(axes, source)
        lines.append(f"    x = {call}")
    for step in (_stretched, _permuted, _part) if source.random() < 0.3 else ():
        call, axes = step(axes, source)
        lines.append(f"    x = {call}")
    return [*lines, f"    return x.view({source.choice(['-1', '-1, 1'])})", ""]


def _refused(function, code):
    """The line in which torch refuses a view, or None."""
    given = []
    if function.__code__.co_argcount:
        first = code.split("\n")[function.__code__.co_firstlineno].split(" = ")[0]
        given.append(torch.zeros([SIZES[name] for name in first.strip().split(", ")]))
    try:
        function(*given)
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
    refused = {each.__name__: line for each in chains if (line := _refused(each, code))}
    found = check_source(code.encode(), "x.py", Settings()).findings
    assert {each.code for each in found} <= {"ATN105"}
    first = {}
    for each in found:
        first.setdefault(each.function, each.line)
    assert first == refused
    assert 0 < len(refused) < 16
