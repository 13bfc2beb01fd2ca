"""Loops: what they carry, how long the lists are that they make, and how they are left."""

import pytest

from tracer.tracing import function, last, module, tracer_of

ENDS = [
    ("few rounds", "y = np.ones(1)\nfor i in range(3):\n    y = np.concatenate([y, y])", (8,)),
    ("many rounds", "y = np.ones(1)\nfor i in range(30):\n    y = np.concatenate([y, y])", ("?",)),
    ("unchanged", "y = np.ones(4)\nfor i in range(30):\n    y = y * 2", (4,)),
    ("while", "y = np.ones(1)\nwhile g():\n    y = np.concatenate([y, y])", ("?",)),
    ("while false", "y = np.ones(1)\nwhile False:\n    y = np.ones(2)", (1,)),
    ("break", "for i in range(3):\n    y = np.ones(2)\n    break\nelse:\n    y = np.ones(3)", (2,)),
    ("else", "for i in range(3):\n    pass\nelse:\n    y = np.ones(3)", (3,)),
    ("else of many", "for i in range(30):\n    pass\nelse:\n    y = np.ones(3)", (3,)),
    (
        "a break somewhere",
        "y = np.ones(1)\nfor i in range(3):\n    if g():\n        y = np.ones(2)\n        break",
        ("?",),
    ),
    (
        "a continue somewhere",
        "for i in range(30):\n    y = np.ones(1)\n    if g():\n        y = np.ones(2)\n"
        "        continue\n    y = np.ones(1)",
        ("?",),
    ),
    (
        "every way leaves the round",
        "for i in range(3):\n    if g():\n        y = np.ones(2)\n        break\n    else:\n"
        "        y = np.ones(2)\n        continue",
        (2,),
    ),
    (
        "a chain of three",
        "a, b, y = np.ones(3), np.ones(3), np.ones(3)\nfor i in range(30):\n"
        "    y = a\n    a = b\n    b = np.ones(4)",
        ("?",),
    ),
]
LENGTHS = [
    ("append", "for i in range(3):\n    ys.append(np.ones(2))", (3, 2)),
    ("append in many rounds", "for i in range(20):\n    ys.append(np.ones(2))", (20, 2)),
    ("two a round", "for i in range(20):\n    ys += [np.ones(2)] * 2", (40, 2)),
    (
        "by an unknown count",
        "for i in range(n):\n    ys.append(np.ones(2))",
        ("n", 2),
    ),
    ("over rows", "for row in np.ones((30, 2)):\n    ys.append(row)", (30, 2)),
    (
        "in some rounds",
        "for i in range(20):\n    if g():\n        ys.append(np.ones(2))",
        ("?", 2),
    ),
    (
        "until a break",
        "for i in range(20):\n    ys.append(np.ones(2))\n    if g():\n        break",
        ("?", 2),
    ),
    ("in a while", "while g():\n    ys.append(np.ones(2))", ("?", 2)),
    ("a comprehension", "ys = [np.ones(2) for _ in range(20)]", (20, 2)),
    ("a filtered one", "ys = [np.ones(2) for i in range(20) if g(i)]", ("?", 2)),
    ("after a slice", "ys = [np.ones(2) for _ in range(4)][1:]", (3, 2)),
]


@pytest.mark.parametrize("code, shape", [each[1:] for each in ENDS], ids=[each[0] for each in ENDS])
def test_what_is_known_after_a_loop(code, shape):
    assert last(module(f"from other import g\n{code}\nz = y\n"), "z") == shape


@pytest.mark.parametrize("code, shape", [e[1:] for e in LENGTHS], ids=[e[0] for e in LENGTHS])
def test_how_long_a_list_has_grown(code, shape):
    body = "".join(f"    {line}\n" for line in f"ys = []\n{code}\ny = np.stack(ys)".split("\n"))
    assert last(function(f"from other import g\ndef f(n: int):\n{body}"), "y") == shape


def test_a_state_is_seen_as_carried():
    code = (
        "def f(x, h, W):\n    B, T, d = x.shape\n    h = np.zeros((B, d))\n"
        "    for t in range(T):\n        before = h\n        h = np.tanh(x[:, t] + before)\n"
        "    return h\n"
    )
    traced = function(code)
    assert [last(traced, name) for name in ("before", "h", "return")] == [("B", "d")] * 3


def test_attributes_are_carried_too():
    code = (
        "class A:\n    def __init__(self):\n        self.x = np.ones((1, 3))\na = A()\n"
        "for i in range(20):\n    a.x = np.concatenate([a.x, a.x])\ny = a.x\n"
    )
    assert last(module(code), "y") == ("?", 3)


def test_an_object_that_changes_is_not_traced_as_it_was_made():
    code = (
        "class A:\n    def __init__(self):\n        self.x = None\n        self.fill()\n"
        "    def fill(self):\n        self.w = np.ones(3)\n"
        "    def set(self, x):\n        self.x, y = np.ones((2, 3)), x\n"
        "    def get(self):\n        y = self.w\n        if self.x is not None:\n"
        "            return self.x @ self.w\n        return np.ones(2)\n"
    )
    traced = function(code, "A.get")
    assert last(traced, "y") == (3,)
    assert len([site for site in traced.sites if site.name == "return"]) == 2


STACK = """\
from torch import nn


class Block(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.inner = nn.Linear(d, d)

    def forward(self, x, before=None):
        if before is not None:
            x = x + before
        return self.inner(x)


class Stack(nn.Module):
    def __init__(self, d, depth):
        super().__init__()
        self.layers = nn.ModuleList([Block(d) for _ in range(depth)])
        self.all = nn.Sequential(*[Block(d) for _ in range(depth)])
        self.block = Block(d)

    def forward(self, x):
        first = None
        for {target} in {items}:
            x = {call}
        return x
"""


@pytest.mark.parametrize(
    ("target", "items", "call", "rounds"),
    [
        ("layer", "self.layers", "layer(x)", 1),
        ("i, layer", "enumerate(self.layers)", "layer(x)", 1),
        # What a round carries over is only seen in the next.
        ("layer", "self.layers", "first = layer(x, first)", 3),
        ("step", "range(len(self.layers))", "self.block(x)", 2),
        ("item", "[1]", "self.all(x)", 1),
    ],
)
def test_layers_of_a_stack_are_run_once(target, items, call, rounds):
    traced = function(STACK.format(target=target, items=items, call=call), "Stack.forward")
    assert [each.kind for each in traced.graph.operations].count("linear_layer") == rounds


def test_where_shapes_are_stated_each_round_is_run():
    tracer = tracer_of(STACK.format(target="layer", items="self.layers", call="layer(x)"))
    tracer.evidence.loose = True
    tracer.run_module()
    (found,) = (each for each in tracer.functions if each.qualified == "Stack.forward")
    operations = tracer.run_function(found).graph.operations
    assert [each.kind for each in operations].count("linear_layer") == 2


@pytest.mark.parametrize(
    "split, shape",
    [
        ("x.split(2)", (2, "b", "d")),
        ("torch.split(x, 2, dim=0)", (2, "b", "d")),
        ("x.split(n, 0)", ("n", "b", "d")),
        ("x.split(3)", ("?", "b", "d")),  # the last one may be smaller
        ("x.split(k)", ("?", "b", "d")),
        ("x.split(d, 2)", ("2*n", "b", "d")),
    ],
)
def test_the_pieces_of_a_split_into_an_unknown_number(split, shape):
    code = f"""
def f(n: int, b: int, d: int, k: int, layers):
    x = torch.zeros(2 * n, b, d)
    for layer, piece in zip(layers, {split}):
        y = piece
    return y
"""
    assert last(function(code), "y") == shape
