"""Branches: what one side learns is undone, what all sides agree on is kept."""

import pytest

from attncheck.engine import trace_shapes
from attncheck.settings import Settings
from tracer.tracing import function, last, module, parameter

ENDS = [
    ("both sides agree", "if c:\n    y = np.ones((2, 3))\nelse:\n    y = np.zeros((2, 3))", (2, 3)),
    (
        "one axis differs",
        "if c:\n    y = np.ones((2, 3))\nelse:\n    y = np.zeros((2, 4))",
        (2, "?"),
    ),
    ("ranks differ", "if c:\n    y = np.ones((2, 3))\nelse:\n    y = np.zeros(2)", None),
    ("one side only", "y = np.ones((2, 3))\nif c:\n    y = y[:, :1]", (2, "?")),
    ("one side raises", "y = np.ones((2, 3))\nif c:\n    y = y.T\n    raise ValueError", (2, 3)),
    ("a known test", "y = np.ones((2, 3))\nif 1 > 2:\n    y = y.T", (2, 3)),
    ("elif", "y = np.ones(2)\nif c:\n    pass\nelif d:\n    y = np.ones(3)", ("?",)),
    ("nested", "y = np.ones(2)\nif c:\n    if d:\n        y = np.ones(3)", ("?",)),
    ("an expression", "y = np.ones(2) if c else np.ones(3)", ("?",)),
    ("a known expression", "y = np.ones(2) if 2 > 1 else np.ones(3)", (2,)),
    ("or", "y = None or np.ones(2)", (2,)),
    ("caught", "y = np.ones(2)\ntry:\n    y = np.ones(3)\nexcept E:\n    pass", ("?",)),
    ("match", "y = np.ones(2)\nmatch c:\n    case 1:\n        y = np.ones(3)", ("?",)),
    ("bound by match", "y = np.ones(2)\nmatch c:\n    case y:\n        pass", "Unknown"),
]


@pytest.mark.parametrize("code, shape", [each[1:] for each in ENDS], ids=[each[0] for each in ENDS])
def test_what_is_known_after_the_join(code, shape):
    assert last(module(f"from other import c, d\n{code}\nz = y\n"), "z") == shape


def test_a_rank_learned_in_one_branch_is_forgotten_at_the_join():
    traced = function("def f(x):\n    if x.ndim == 2:\n        y = x.T\n    return x\n")
    assert parameter(traced, "x") == "(...)"


def test_a_size_learned_in_one_branch_is_forgotten_at_the_join():
    code = (
        "def f(x, n, m):\n    a, b = x.shape\n    if a == b:\n        y = np.ones(a)\n"
        "    z = np.ones((a, b))\n"
    )
    assert last(function(code), "z") == ("a", "b")


def test_what_both_branches_learn_is_kept():
    code = (
        "def f(x, c):\n    if c:\n        a, b = x.shape\n    else:\n"
        "        a, b = x.shape\n        a = b\n    return x\n"
    )
    assert parameter(function(code), "x") == "(...)"


def test_a_guard_holds_from_there_on():
    code = "def f(x):\n    if x.ndim != 2:\n        raise ValueError\n    return x\n"
    assert parameter(function(code), "x") == "(x_0, x_1)"


def test_both_sides_of_an_expression_start_from_the_same_names():
    code = (
        "def f(x, mask=None):\n    n = np.ones(2) if mask is None else np.ones(3)\n"
        "    if mask is not None:\n        y = np.ones(4)\n    else:\n        y = np.ones(5)\n"
        "    return y\n"
    )
    traced = function(code)
    assert last(traced, "n") == ("?",)
    assert last(traced, "return") == ("?",)


TUPLES = "from other import c\npair = (np.ones(2), np.ones((3, 4))) if c else (np.ones(2),)\n"


@pytest.mark.parametrize(
    ("read", "shape"),
    [
        ("y = pair[0]", (2,)),
        ("y = pair[1]", (3, 4)),
        ("x, y = pair", (3, 4)),
        ("(y,) = pair", (2,)),
        ("x, y, z = pair", "Unknown"),
        ("y = (pair + (np.ones(5),))[-1]", (5,)),
        ("y = ((np.ones(7),) + pair)[1]", (2,)),
        ("for y in pair:\n    pass", None),
    ],
)
def test_tuples_of_unlike_length_keep_their_items(read, shape):
    assert last(module(f"{TUPLES}{read}\nlast = y\n"), "last") == shape


def test_an_item_that_one_of_two_tuples_does_not_tell_is_not_known():
    code = "from other import c, d\npair = (d, np.ones(2)) if c else (np.ones(3),)\ny = pair[0]\n"
    assert last(module(code), "y") == "Unknown"


CACHED = (
    "class A(torch.nn.Module):\n    def __init__(self, d, h):\n        super().__init__()\n"
    "        self.h, self.d, self.proj = h, d, torch.nn.Linear(h * d, h * d)\n\n"
    "    def forward(self, x, cache, c):\n"
    "        k = self.proj(x).view(*x.shape[:2], self.h, self.d)\n"
    "        if c:\n            k = cache.keys[0]\n        return k\n"
)


def test_what_a_cache_holds_has_the_features_of_what_is_computed_without_it():
    assert last(function(CACHED, "A.forward"), "return") == ("?", "?", "?", "d")


KIND = (
    "class A(torch.nn.Module):\n    def __init__(self, d, kind):\n        super().__init__()\n"
    "        self.kind = kind\n        if kind == 'general':\n"
    "            self.proj = torch.nn.Linear(d, d)\n        {otherwise}\n"
    "    def forward(self, x):\n        b, n, _ = x.shape\n        return self.proj(x)\n"
)


@pytest.mark.parametrize(
    ("otherwise", "shape"),
    [
        ("pass", ("b", "n", "d")),
        ("else:\n            self.other = torch.nn.Linear(d, 1)", ("b", "n", "d")),
        ("else:\n            self.proj = torch.nn.Linear(d, 1)", ("b", "n", "?")),
        ("else:\n            self.proj = kind", "Unknown"),
    ],
)
def test_an_attribute_that_one_branch_sets_is_what_it_sets(otherwise, shape):
    assert last(function(KIND.format(otherwise=otherwise), "A.forward"), "return") == shape


@pytest.mark.parametrize(
    ("call", "shape"),
    [
        ("sparsemax(y, -1)", (2, 3)),
        ("entmax15(y, dim=-1)", (2, 3)),
        ("sparsemax_loss(y, -1)", "Unknown"),
    ],
)
def test_what_stands_for_a_softmax_gives_what_softmax_gives(call, shape):
    code = f"from other import *\ny = torch.ones(2, 3)\nz = {call}\n"
    names = "from other import sparsemax, entmax15, sparsemax_loss\n"
    assert last(module(names + code.partition("\n")[2]), "z") == shape


OBJECT = "class A:\n    def __init__(self):\n        self.x = np.ones((2, 3))\na = A()\n"


def test_attributes_are_joined():
    code = f"from other import c\n{OBJECT}if c:\n    a.x = np.ones((2, 4))\ny = a.x\n"
    assert last(module(code), "y") == (2, "?")


def test_attributes_of_a_branch_that_leaves_are_taken_back():
    code = (
        f"from other import c\n{OBJECT}if c:\n    a.x = np.ones(7)\n    raise ValueError\ny = a.x\n"
    )
    assert last(module(code), "y") == (2, 3)


def test_a_handler_starts_wherever_the_body_may_have_stopped():
    code = "x = np.ones(2)\ntry:\n    x = np.ones(3)\n    g()\nexcept E:\n    y = x\nz = y\n"
    assert last(module(code), "z") == ("?",)


OPTIONAL = """
class Layer(nn.Module):
    def __init__(self, d, norm):
        super().__init__()
        {making}
        self.proj = nn.Linear(d, 4)

    def forward(self, x, c):
        b, t, _ = x.shape
        {using}
        y = self.proj(x)
        return y
"""


@pytest.mark.parametrize(
    "making",
    [
        "self.norm = nn.LayerNorm(d) if norm else None",
        "self.norm = None if norm else nn.LayerNorm(d)",
        "self.norm = nn.LayerNorm(d)\n        if norm: self.norm = None",
        "self.norm = None\n        if norm: self.norm = nn.LayerNorm(d)",
        "self.norm = nn.LayerNorm(d) if norm else nn.Identity()",
    ],
)
@pytest.mark.parametrize(
    "using",
    [
        "if self.norm is not None: x = self.norm(x)",
        "x = x if self.norm is None else self.norm(x)",
        "x = self.norm(x) if self.norm else x",
        "if c: x = self.norm(x)\n        else: x = torch.relu(x)",
        "for _ in range(c): x = self.norm(x)",
    ],
)
def test_axes_found_before_a_branch_are_known_behind_it(making, using):
    code = OPTIONAL.format(making=making, using=using)
    traced = function(code, "Layer.forward", head="import torch\nfrom torch import nn\n")
    assert parameter(traced, "y") == "(b, t, 4)"


def test_axes_found_on_one_way_are_known_on_it():
    code = (
        "def f(x, y, c):\n"
        "    if c:\n"
        "        a, b = x.shape\n"
        "        z = torch.relu(x)\n"
        "    else:\n"
        "        a, b = y.shape\n"
        "        z = torch.relu(y)\n"
        "    e = z + 1\n"
        "    g = torch.relu(x)\n"
    )
    traced = function(code)
    assert last(traced, "e") == ("?", "?")
    assert parameter(traced, "g") == "(...)"


@pytest.mark.parametrize(
    "expression, shape",
    [
        ("torch.relu(x) if c else x", ["b", "t", "d"]),
        ("x if c else torch.relu(x)", ["b", "t", "d"]),
        ("x[:, :2] if c else x", ["b", "y_1", "d"]),
        ("torch.cat((past, x), dim=1) if past is not None else x", ["b", "y_1", "d"]),
        ("x.sum(-1) if c else x", None),
    ],
)
def test_shapes_that_are_stated_of_a_conditional_expression(expression, shape):
    code = (
        f"import torch\ndef f(x, c, past=None):\n    b, t, d = x.shape\n    y = {expression}\n"
        "    return y\n"
    )
    rows = trace_shapes(code.encode(), "code.py", Settings())
    (row,) = (row for row in rows if row.name == "y")
    assert row.shape == (None if shape is None else tuple(shape))


PADDED = """
def f(x, window, c):
    b, n, d = x.shape
    if n < window:
        x = np.concatenate((x, np.zeros((b, window - n, d))), axis=1)
        n = {size}
    {more}z = x.reshape(b, n, 2, -1)
    return z
"""


def test_sizes_that_change_together_are_one_behind_the_join():
    assert last(function(PADDED.format(size="window", more="")), "z") == ("b", "?", 2, "d//2")


def test_sizes_that_change_together_are_one_behind_more_ways():
    more = (
        "if c == 1:\n        x, n = x[:, :1], 1\n"
        "    elif c == 2:\n        x, n = x[:, 1:], n - 1\n    "
    )
    assert last(function(PADDED.format(size="window", more=more)), "z") == ("b", "?", 2, "d//2")


@pytest.mark.parametrize(("size", "length"), [("window - 1", "?"), ("n", "n")])
def test_sizes_that_change_each_for_itself_are_two(size, length):
    assert last(function(PADDED.format(size=size, more="")), "z") == ("b", length, 2, "?")


@pytest.mark.parametrize(("size", "width"), [("n - 1", "d//2"), ("n - 2", "?")])
def test_a_size_that_follows_its_axis(size, width):
    code = (
        "def f(x, c):\n    b, n, d = x.shape\n    if c:\n        x = x[:, 1:]\n"
        f"        n = {size}\n    z = x.reshape(b, n, 2, -1)\n    return z\n"
    )
    assert last(function(code), "z")[3] == width


PROJECTED = """
class Scorer(torch.nn.Module):
    def __init__(self, width, out, kind):
        super().__init__()
        self.kind = kind
        self.proj = torch.nn.Linear(width, {out})
    def forward(self, q, k):
        {before}
        if self.kind:
            q = {projected}
        z = q
        {after}
        return z
"""


def projected(out="width", projected="self.proj(q)", before="pass", after="pass"):
    code = "import torch\n" + PROJECTED.format(
        out=out, projected=projected, before=before, after=after
    )
    return last(function(code, "Scorer.forward"), "z")


def test_a_layer_that_keeps_the_size_on_one_way_keeps_what_is_known_of_it():
    assert projected(before="b, t, d = q.shape") == ("b", "t", "d")


def test_a_rank_that_is_kept_on_one_way_is_found_behind_the_join():
    assert projected(after="b, t, d = q.shape; z = torch.bmm(z, k)")[:2] == ("k_0", "t")
    assert len(projected(after="torch.bmm(k, q); z = z + 0")) == 3


@pytest.mark.parametrize(
    ("out", "expression"),
    [
        ("out", "self.proj(q)"),
        ("width", "self.proj(q).unsqueeze(1)"),
        ("width", "self.proj(q)[..., :1]"),
        ("width", "k"),
    ],
)
def test_what_one_way_changes_is_not_known_behind_the_join(out, expression):
    width = projected(out, expression, before="b, t, d = q.shape; b, n, e = k.shape")
    assert width is None or "d" not in width
