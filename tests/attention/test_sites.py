"""Attention sites: each way of writing softmax, scores and weighted sum is found as what it is."""

import pytest
from tracer.tracing import HEAD, tracer_of

from attncheck.attention import find_sites
from attncheck.engine import check_source
from attncheck.settings import Settings
from attncheck.values.value import as_tensor

SCORES = "q, k, v = np.ones((4, 3)), np.ones((5, 3)), np.ones((5, 6))\nscores = q @ k.T\n"
TORCH = SCORES.replace("np.ones", "torch.ones")
NAMED = "from einops import einsum, rearrange, reduce\n" + TORCH
HELPER = "def softmax(x, axis=-1):\n    e = np.exp({})\n    return e / e.sum({})\n"


def sites(code):
    return find_sites(tracer_of(code).run_module().graph)


SOFTMAXES = [
    ("torch function", TORCH + "w = torch.softmax(scores, dim=-1)"),
    ("torch function by position", TORCH + "w = torch.softmax(scores, -1)"),
    ("torch functional", TORCH + "w = F.softmax(scores, dim=1)"),
    ("torch method", TORCH + "w = scores.softmax(-1)"),
    ("torch method by keyword", TORCH + "w = scores.softmax(dim=1)"),
    ("logarithm", TORCH + "w = F.log_softmax(scores, dim=-1)"),
    ("scipy", "from scipy.special import softmax\n" + SCORES + "w = softmax(scores, axis=-1)"),
    (
        "scipy by path",
        "import scipy.special\n" + SCORES + "w = scipy.special.softmax(scores, axis=1)",
    ),
    ("by hand", SCORES + "e = np.exp(scores)\nw = e / e.sum(axis=-1, keepdims=True)"),
    ("by hand with np.sum", SCORES + "e = np.exp(scores)\nw = e / np.sum(e, axis=1)[:, None]"),
    (
        "by hand less the maximum",
        SCORES + "e = np.exp(scores - scores.max(axis=-1, keepdims=True))\n"
        "w = e / e.sum(axis=-1, keepdims=True)",
    ),
    (
        "by hand in one line",
        SCORES + "w = np.exp(scores) / np.exp(scores).sum(axis=-1, keepdims=True)",
    ),
    (
        "by hand in torch",
        TORCH + "e = scores.exp()\nw = e / e.sum(dim=-1, keepdim=True)",
    ),
    (
        "by hand with a mask multiplied in",
        TORCH + "e = scores.exp() * (scores > 0)\nw = e / e.sum(dim=-1, keepdim=True)",
    ),
    (
        "by hand less the logsumexp",
        TORCH + "w = torch.exp(scores - torch.logsumexp(scores, dim=-1, keepdim=True))",
    ),
    (
        "by hand less the logarithm of the sum",
        SCORES + "w = np.exp(scores - np.log(np.exp(scores).sum(axis=-1, keepdims=True)))",
    ),
    (
        "in a helper",
        HELPER.format("x - x.max(axis=axis, keepdims=True)", "axis=axis, keepdims=True")
        + SCORES
        + "w = softmax(scores)",
    ),
    (
        "by hand in einops",
        NAMED + "e = scores.exp()\nw = e / reduce(e, 't s -> t 1', 'sum')",
    ),
    (
        "of scaled and masked scores",
        TORCH + "s = (scores / 2.0).masked_fill(scores > 0, -1e9)\nw = s.softmax(dim=-1)",
    ),
]


@pytest.mark.parametrize("code", [each[1] for each in SOFTMAXES], ids=[e[0] for e in SOFTMAXES])
def test_softmax(code):
    (site,) = sites(code + "\n")
    weights = as_tensor(site.softmax.output)
    assert site.axis % 2 == 1
    assert not site.over_all
    assert str(weights.shape) == "(4, 5)"
    assert (site.scores.kind, site.scores.tensors is not None) == ("matmul", True)
    assert [str(tensor.shape) for _, tensor in site.scores.tensors()] == ["(4, 3)", "(3, 5)"]


def test_over_all():
    (site,) = sites(SCORES + "e = np.exp(scores)\nw = e / e.sum()\n")
    assert (site.over_all, site.axis) == (True, None)


def test_of_one_axis_over_all_is_over_it():
    (site,) = sites("s = np.ones((5, 3)) @ np.ones(3)\ne = np.exp(s)\nw = e / e.sum()\n")
    assert not site.over_all


def test_an_axis_that_is_not_named():
    (site,) = sites(TORCH + "w = F.softmax(scores)\n")
    assert site.implicit


NO_SOFTMAX = [
    ("a mean", SCORES + "w = scores / scores.sum(axis=-1, keepdims=True)"),
    (
        "another exponential's sum",
        SCORES + "w = np.exp(scores) / scores.sum(axis=-1, keepdims=True)",
    ),
    ("the largest", SCORES + "e = np.exp(scores)\nw = e / e.max(axis=-1, keepdims=True)"),
    ("a sigmoid", SCORES + "w = 1 / (1 + np.exp(-scores))"),
    (
        "linear attention",
        "q, k, v = np.ones((4, 3)), np.ones((5, 3)), np.ones((5, 6))\n"
        "fq, fk = np.maximum(q, 0), np.maximum(k, 0)\nkv = fk.T @ v\n"
        "w = (fq @ kv) / (fq @ fk.sum(axis=0))[:, None]",
    ),
]


@pytest.mark.parametrize("code", [each[1] for each in NO_SOFTMAX], ids=[e[0] for e in NO_SOFTMAX])
def test_no_site(code):
    assert sites(code + "\n") == []


WEIGHTS = "w = scores.softmax(dim=-1)\n"
SUMS = [
    ("matmul", "out = w @ v", 0),
    ("a function", "out = torch.matmul(w, v)", 0),
    ("values first", "out = v.T @ w.T", 1),
    ("einsum", "out = torch.einsum('ts,sd->td', w, v)", 0),
    ("einsum, values first", "out = torch.einsum('sd,ts->td', v, w)", 1),
    ("named axes", "out = einsum(w, v, 'query key, key d -> query d')", 0),
    ("named axes, values first", "out = einsum(v, w, 'key d, query key -> query d')", 1),
    ("rearranged", "w = rearrange(w, 't s -> s t')\nout = v.T @ w", 1),
    ("merged", "w = rearrange(w[None], 'b t s -> (b t) s')\nout = w @ v", 0),
    ("bmm", "out = torch.bmm(w[None], v[None])", 0),
    ("after dropout", "w = F.dropout(w, 0.1)\nout = w @ v", 0),
    ("masked once more", "w = w * 0.5\nout = w @ v", 0),
    ("by elements", "out = (w[:, :, None] * v[None]).sum(dim=1)", 0),
    ("by elements, unsqueezed", "p = w.unsqueeze(-1) * v\nout = p.sum(dim=1)", 0),
]


@pytest.mark.parametrize("code, place", [e[1:] for e in SUMS], ids=[e[0] for e in SUMS])
def test_weighted_sum_over_the_normalised_axis(code, place):
    (site,) = sites(NAMED + WEIGHTS + code + "\n")
    (found,) = site.sums
    assert found.weights == place
    assert [str(axis) for axis in found.contracted] == ["5"]
    assert str(as_tensor(found.operation.output).shape).replace("1, ", "") in ("(4, 6)", "(6, 4)")


def test_a_sum_over_the_queries():
    (site,) = sites(TORCH + WEIGHTS + "out = w.T @ torch.ones(4, 6)\n")
    assert [str(axis) for axis in site.sums[0].contracted] == ["4"]


def test_weights_that_are_only_returned():
    (site,) = sites(TORCH + WEIGHTS)
    assert site.sums == []


def test_two_sites_keep_their_own_sums():
    found = sites(TORCH + "a = scores.softmax(dim=-1) @ v\nb = (scores * 2).softmax(dim=-1) @ v\n")
    assert [len(site.sums) for site in found] == [1, 1]
    assert found[0].sums[0].operation is not found[1].sums[0].operation


PRODUCTS = [
    ("dot", "s = q @ k.T", "matmul"),
    ("einsum", "s = torch.einsum('td,sd->ts', q, k)", "einsum"),
    ("named axes", "s = einsum(q, k, 't d, s d -> t s')", "einsum"),
    ("rearranged", "s = rearrange(q @ k.T, 't s -> 1 (t s)').view(4, 5)", "matmul"),
    ("scaled", "s = (q @ k.T) / 3 ** 0.5 + 1.0", "matmul"),
    ("additive", "s = torch.tanh(q[:, None] + k[None]) @ torch.ones(3)", "matmul"),
    ("through a reshape", "s = (q @ k.T).reshape(4, 5, 1).squeeze(-1)", "matmul"),
]


@pytest.mark.parametrize("code, kind", [e[1:] for e in PRODUCTS], ids=[e[0] for e in PRODUCTS])
def test_the_product_behind_the_scores(code, kind):
    (site,) = sites(NAMED + code + "\nw = s.softmax(dim=-1)\n")
    assert site.scores.kind == kind


BRANCHED = """def f(q, k, v, mask=None, drop=None):
    T, d = q.shape
    S, d = k.shape
    S, e = v.shape
    scores = q @ k.T
    if mask is not None:
        scores = scores.masked_fill(mask == 0, -1e9)
    w = scores.softmax(dim=-1)
    if drop is not None:
        w = drop(w)
    return w @ v
"""


def test_through_branches():
    """What only some of the ways do to scores and weights hides neither product."""
    tracer = tracer_of("import torch\n" + BRANCHED)
    tracer.run_module()
    (function,) = tracer.functions
    (site,) = find_sites(tracer.run_function(function).graph)
    assert site.scores.kind == "matmul"
    assert [sum_.operation.kind for sum_ in site.sums] == ["matmul"]


def test_scores_that_no_product_made():
    (site,) = sites("w = torch.ones(4, 5).softmax(dim=-1)\n")
    assert site.scores is None


def codes(code):
    return [f.code for f in check_source((HEAD + code).encode(), "x.py", Settings()).findings]


def test_slot_attention_renormalises_and_is_silent():
    slots = (
        "def f(slots, inputs):\n    B, N, d = inputs.shape\n    B, S, d = slots.shape\n"
        "    logits = torch.einsum('bnd,bsd->bns', inputs, slots)\n"
        "    attn = logits.softmax(dim=-1)\n"
        "    attn = attn / attn.sum(dim=1, keepdim=True)\n"
        "    return torch.einsum('bns,bnd->bsd', attn, inputs)\n"
        "f(torch.ones(2, 3, 6), torch.ones(2, 7, 6))\n"
    )
    assert codes(slots) == []
    assert codes(slots.replace("    attn = attn / attn.sum(dim=1, keepdim=True)\n", "")) == [
        "ATN301"
    ]
    divided = "    attn = attn / attn.sum(dim=1, keepdim=True)\n"
    sometimes = slots.replace("(slots, inputs)", "(slots, inputs, flag)", 1)
    sometimes = sometimes.replace("6))\n", "6), flag())\n")
    branch = f"    if flag:\n    {divided}"
    assert codes(sometimes.replace(divided, branch)) == []
    assert codes(sometimes.replace(divided, branch.replace("dim=1", "dim=2"))) == ["ATN301"]


#: Heads split and merged by patterns, with places for the softmax axis and the last product.
HEADS = (
    "from einops import einsum, rearrange\nx = torch.ones(2, 5, 12)\n"
    "q, k, v = (rearrange(x, 'b t (h d) -> b h t d', h=3) for _ in range(3))\n"
    "w = einsum(q, k, 'b h i d, b h j d -> b h i j').softmax(dim={})\n"
    "{}\nout = rearrange(out, 'b h t d -> b t (h d)')\n"
)
MERGED = (
    "w = rearrange(w, 'b h i j -> (b h) i j')\nv = rearrange(v, 'b h j d -> (b h) j d')\n"
    "out = rearrange(w{} @ v, '(b h) i d -> b h i d', b=2)"
)


@pytest.mark.parametrize(
    ("dim", "product", "expected"),
    [
        ("-1", "out = einsum(w, v, 'b h i j, b h j d -> b h i d')", []),
        ("-2", "out = einsum(w, v, 'b h i j, b h j d -> b h i d')", ["ATN301"]),
        ("-1", "out = einsum(w, v, 'b h i j, b h i d -> b h j d')", ["ATN302"]),
        ("-1", MERGED.format(""), []),
        ("-2", MERGED.format(""), ["ATN301"]),
        ("-1", MERGED.format(".mT"), ["ATN302"]),
    ],
)
def test_axes_are_followed_through_patterns(dim, product, expected):
    assert codes(HEADS.format(dim, product)) == expected


@pytest.mark.parametrize("axis, expected", [("-1", []), ("1", []), ("0", ["ATN301"])])
def test_the_key_axis_is_the_one_that_is_summed(axis, expected):
    assert codes(TORCH + f"w = scores.softmax(dim={axis})\nout = w @ v\n") == expected


def test_the_key_axis_may_come_first():
    code = TORCH + "s = k @ q.T\nw = s.softmax(dim=0)\nout = w.T @ v\n"
    assert codes(code) == []
    assert codes(code.replace("dim=0", "dim=1")) == ["ATN301"]


@pytest.mark.parametrize(
    "dim, sum_, expected",
    [
        ("-1", "'bij,bjd->bid', w, v", []),
        ("1", "'bij,bjd->bid', w, v", ["ATN301"]),
        ("-1", "'bji,bjd->bid', w, v", ["ATN302"]),
    ],
)
def test_einsum_tells_the_key_axis(dim, sum_, expected):
    code = (
        "def f(q, k, v):\n    s = torch.einsum('bid,bjd->bij', q, k)\n"
        f"    w = s.softmax(dim={dim})\n    return torch.einsum({sum_})\n"
        "f(torch.ones(2, 5, 6), torch.ones(2, 5, 6), torch.ones(2, 5, 8))\n"
    )
    assert codes(code) == expected
