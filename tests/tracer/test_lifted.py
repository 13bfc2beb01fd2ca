"""Functions of functions: what ``jit``, ``vmap``, ``grad`` and the loops of jax give."""

import pytest

from attncheck.engine import check_source
from attncheck.settings import Settings
from attncheck.values.value import as_tensor
from tracer.tracing import function, last, module, parameter

HEAD = (
    "import functools\nimport jax\nimport jax.numpy as jnp\n"
    "x, H, W = jnp.zeros((3, 4)), jnp.zeros((3, 5, 4)), jnp.zeros((4, 7))\n"
)


def told(code, name="y"):
    return last(module(HEAD + code), name)


MAPPED = {
    "y = jax.vmap(lambda a: a)(x)": (3, 4),
    "y = jax.vmap(lambda a: a @ W)(x)": (3, 7),
    "y = jax.vmap(lambda a: a.sum())(x)": (3,),
    "y = jax.vmap(lambda a, h: h @ a)(x, H)": (3, 5),
    "y = jax.vmap(lambda a, h: h @ a, (0, 0), 1)(x, H)": (5, 3),
    "y = jax.vmap(lambda a: a, in_axes=1)(H)": (5, 3, 4),
    "y = jax.vmap(lambda a: a, in_axes=1, out_axes=-1)(H)": (3, 4, 5),
    "y = jax.vmap(lambda a, w: a @ w, in_axes=(0, None))(x, W)": (3, 7),
    "y = jax.vmap(jax.vmap(lambda a: a @ W))(H)": (3, 5, 7),
    "y = jax.vmap(lambda p: p['h'] @ p['x'])({'h': H, 'x': x})": (3, 5),
    "y = jax.vmap(lambda p: p[0] @ p[1], in_axes=((0, None),))((H, W))": (3, 5, 7),
    "y, z = jax.vmap(lambda a: (a, a.sum()), out_axes=(1, 0))(x)": (4, 3),
    "y = jax.vmap(lambda a, *, h: h @ a)(x, h=H)": (3, 5),
    "y = jax.vmap(lambda a: a, in_axes=n)(x)": "Unknown",
}


@pytest.mark.parametrize("code", MAPPED)
def test_mapped(code):
    assert told(code) == MAPPED[code]


@pytest.mark.parametrize(
    "decorator",
    [
        "jax.vmap",
        "functools.partial(jax.vmap, in_axes=0)",
        "jax.jit\n@jax.vmap",
        "functools.partial(jax.jit, static_argnums=1)\n@jax.vmap",
    ],
)
def test_decorators(decorator):
    assert told(f"@{decorator}\ndef f(a):\n    return a @ W\ny = f(x)") == (3, 7)


def test_a_decorator_that_nobody_knows():
    assert told("@jax.jit\n@jax.whatever\ndef f(a):\n    return a\ny = f(x)") == "Unknown"


def test_axes_of_unlike_sizes_clash():
    traced = module(HEAD + "y = jax.vmap(lambda a, h: h @ a, in_axes=(0, 1))(x, H)")
    (clash,) = [operation.clash for operation in traced.graph.clashes()]
    assert clash.text == "maps axis 1 of (3, 5, 4) beside an axis of 3"
    assert (clash.left.number, clash.right.number, clash.operand) == (3, 5, 1)


def test_the_fix_maps_another_axis_of_the_odd_argument():
    code = (
        "def f(a, b, h):\n    return h @ a + b\n"
        "g = jax.vmap(f, in_axes=(0, 0, 1))\ny = g(x, x[:, 0], H)\n"
    )
    (finding,) = check_source((HEAD + code).encode(), "code.py", Settings()).findings
    assert (finding.code, finding.tensor.name) == ("ATN110", "H")
    assert finding.fix.line == "g = jax.vmap(f, in_axes=(0, 0, 0))"


def test_an_axis_that_is_not_there():
    traced = module(HEAD + "y = jax.vmap(lambda a: a, in_axes=2)(x)")
    (clash,) = [operation.clash for operation in traced.graph.clashes()]
    assert clash.text == "names axis 2 of (3, 4), which has 2 axes"


def test_mapping_shows_the_first_axis_of_an_argument():
    traced = function("def f(a):\n    return jax.vmap(lambda r: r)(a)\n", head=HEAD)
    assert parameter(traced, "a") == "(a_0, ...)"


LOOPS = {
    "c, y = jax.lax.scan(lambda c, r: (c + r, r @ W), jnp.zeros(4), x)": (3, 7),
    "y, _ = jax.lax.scan(lambda c, r: (c + r, None), jnp.zeros(4), x)": (4,),
    "_, y = jax.lax.scan(lambda c, _: (c, c), jnp.zeros(4), None, length=9)": (9, 4),
    "_, y = jax.lax.scan(lambda c, r: (c, r[1]), jnp.zeros(4), (x, H))": (3, 5, 4),
    "y = jax.lax.map(lambda r: r @ W, x)": (3, 7),
    "y = jax.lax.fori_loop(0, 5, lambda i, c: c * 2, x)": (3, 4),
    "y = jax.lax.fori_loop(0, 5, lambda i, c: c[None], x)": None,
    "y = jax.lax.while_loop(lambda c: c.sum() < 3, lambda c: c + 1, x)": (3, 4),
    "y = jax.lax.cond(True, lambda a: a + 1, lambda a: a - 1, x)": (3, 4),
    "y = jax.lax.switch(0, [lambda a: a @ W, lambda a: a @ W + 1], x)": (3, 7),
}


@pytest.mark.parametrize("code", LOOPS)
def test_loops_and_branches(code):
    assert told(code) == LOOPS[code]


SCAN = """
def f(step, x, p):
    h = jnp.zeros((x.shape[0], 9))
    last, rows = jax.lax.scan({body}, {init}, x.swapaxes(0, 1))
"""


@pytest.mark.parametrize(
    ("body", "init", "last", "rows"),
    [
        ("lambda c, r: (c @ p['W'],) * 2", "h", "(x_0, 9)", "(x_1, x_0, 9)"),
        ("lambda c, r: (c @ p['W'], None)", "h", "(x_0, 9)", None),
        ("lambda c, r: ((c @ p['W']) * 2, r)", "h", "(x_0, 9)", "(x_1, x_0, ...)"),
    ],
)
def test_what_is_carried_keeps_its_shape(body, init, last, rows):
    traced = function(SCAN.format(body=body, init=init), head=HEAD)
    assert parameter(traced, "last") == last
    assert rows is None or parameter(traced, "rows") == rows


def test_that_two_tensors_of_which_nothing_is_known_are_not_taken_for_one():
    code = "lambda c, r: (c @ p['W'], p['U'] @ c)"
    traced = function(SCAN.format(body=code, init="h"), head=HEAD)
    rows = next(site.value for site in traced.sites if site.name == "rows")
    assert as_tensor(rows).shape is None


def test_that_jax_has_it_so():
    jax = pytest.importorskip("jax")
    with pytest.raises(TypeError, match="carry"):
        jax.lax.scan(lambda c, r: (c[None], r), jax.numpy.zeros(4), jax.numpy.zeros((3, 4)))


GRADIENTS = {
    "y = jax.grad(lambda a: (a @ W).sum())(x)": (3, 4),
    "y = jax.grad(lambda a, w: (a @ w).sum(), argnums=1)(x, W)": (4, 7),
    "v, y = jax.value_and_grad(lambda a: (a @ W).sum())(x)": (3, 4),
    "y, g = jax.value_and_grad(lambda a: (a @ W).sum())(x)": (),
    "y = jax.jit(lambda a: a @ W)(x)": (3, 7),
    "y = jax.checkpoint(lambda a: a @ W)(x)": (3, 7),
}


@pytest.mark.parametrize("code", GRADIENTS)
def test_gradients_and_wrappers(code):
    assert told(code) == GRADIENTS[code]


def test_subscripts_may_be_digits():
    assert told("y = jnp.einsum('a1,1b->ab', x, W)") == (3, 7)


def test_where_axes_of_three_operands_meet():
    traced = module(HEAD + "y = jnp.where(H > 0, x, 0.0)")
    (clash,) = [operation.clash for operation in traced.graph.clashes()]
    assert clash.text.endswith("5 meets 3 on the second to last axis")


UPDATES = {
    "y = x.at[0].set(1.0)": (3, 4),
    "y = x.at[:, None, 0].add(W[:3, :1])": (3, 4),
    "y = x.at[1:].get()": (2, 4),
    "f = x.at[0]\ny = f.set(jnp.zeros(4))": (3, 4),
}


@pytest.mark.parametrize("code", UPDATES)
def test_updates_at_an_index(code):
    assert told(code) == UPDATES[code]


def test_an_update_that_does_not_fit():
    traced = module(HEAD + "y = x.at[0].set(jnp.zeros(5))")
    (clash,) = [operation.clash for operation in traced.graph.clashes()]
    assert clash.text.startswith("writes (5,) into (4,)")


KEPT = """
def f(x, n: int):
    B, T, D = x.shape
    start = {init}
    return {loop}
"""
#: How a loop is written whose body gives what it carries to `step`.
LOOP = {
    "scan": "jax.lax.scan(lambda c, r: ({left}, None), start, x.swapaxes(0, 1))",
    "scan with names": "jax.lax.scan(f=lambda c, r: ({left}, c), init=start, xs=None, length=n)",
    "fori_loop": "jax.lax.fori_loop(0, n, lambda i, c: {left}, start)",
    "while_loop": "jax.lax.while_loop(lambda c: True, lambda c: {left}, start)",
}


def carried(init, left, loop):
    code = HEAD + KEPT.format(init=init, loop=LOOP[loop].format(left=left))
    return check_source(code.encode(), "code.py", Settings()).findings


@pytest.mark.parametrize("loop", LOOP)
@pytest.mark.parametrize(
    ("init", "left", "expected", "fix"),
    [
        ("jnp.zeros(T)", "c + x[..., 0]", ("B", "T"), "start = jnp.zeros((B, T))"),
        ("jnp.ones((D,))", "c * x.sum(1)", ("B", "D"), "start = jnp.ones((B, D))"),
        ("jnp.full(D, 2.0)", "c * x", ("B", "T", "D"), "start = jnp.full((B, T, D), 2.0)"),
        ("jnp.zeros((B, T))", "(c[..., None] * x)", ("B", "T", "D"), None),
        ("jnp.zeros((B, D))", "c[:, None]", ("B", 1, "D"), None),
        ("jnp.zeros((B, D))", "c.sum(-1)", ("B",), None),
    ],
)
def test_what_is_carried_keeps_its_rank(init, left, expected, fix, loop):
    (finding,) = carried(init, left, loop)
    assert (finding.code, finding.tensor.name) == ("ATN104", "start")
    assert finding.expected.shape == expected
    assert (finding.fix and finding.fix.line) == fix


@pytest.mark.parametrize("loop", LOOP)
def test_what_is_carried_keeps_its_sizes(loop):
    (finding,) = carried("jnp.zeros((B, D))", "jnp.concatenate([c, c], -1)", loop)
    assert (finding.code, finding.tensor.name) == ("ATN110", "start")
    assert "(B, D) and leaves (B, 2*D) after a round" in finding.message


@pytest.mark.parametrize("loop", LOOP)
@pytest.mark.parametrize(
    ("init", "left"),
    [
        ("jnp.zeros((B, T))", "c + x[..., 0]"),
        ("jnp.zeros((B, T))", "c + x[0, :, 0]"),
        ("(jnp.zeros(T), jnp.zeros((B, T)))", "(c[0] + 1, c[1] + c[0])"),
        ("{'n': 0, 'h': x[:, 0]}", "{'h': jnp.tanh(c['h']), 'n': c['n'] + 1}"),
        ("jnp.zeros((n, D))", "jnp.zeros((B, D)) + c * 0"),
        ("0.0", "c + x.mean()"),
        ("unseen(x)", "c[None]"),
    ],
)
def test_what_a_round_leaves_as_it_was(init, left, loop):
    assert carried(init, left, loop) == ()


def test_the_item_of_a_carried_pair_that_does_not_keep_its_axes():
    init, left = "(x[:, 0], jnp.zeros(T))", "(c[0], c[1] + x[..., 0])"
    code = HEAD + KEPT.format(init="None", loop=LOOP["scan"].format(left=left)).replace(
        "start,", f"{init},"
    )
    (finding,) = check_source(code.encode(), "code.py", Settings()).findings
    assert (finding.code, finding.tensor.name) == ("ATN104", "jnp.zeros(T)")
    assert finding.fix.line == (
        "return jax.lax.scan(lambda c, r: ((c[0], c[1] + x[..., 0]), None),"
        " (x[:, 0], jnp.zeros((B, T))), x.swapaxes(0, 1))"
    )
