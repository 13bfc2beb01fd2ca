"""Dicts of arrays, as programs without layers keep their parameters: comprehensions, zip, jax."""

import pytest

from attncheck.engine import check_source, trace_shapes
from attncheck.settings import Settings


def shape(code, name):
    """The shape of the last site of a name, as text."""
    rows = trace_shapes(code.encode(), "x.py", Settings())
    (*_, found) = [row for row in rows if row.name == name]
    return None if found.shape is None else tuple(map(str, found.shape))


NUMPY = """
import numpy as np
rng = np.random.default_rng(0)
d, n = 3, 5
sizes = dict(W=(d, n), U=(n, n))
{made}
found = p["W"]
"""


@pytest.mark.parametrize(
    "made",
    [
        'p = {k: rng.normal(size=(d, n)) for k in ("W", "V")}',
        "p = {k: rng.normal(size=s) for k, s in sizes.items()}",
        "p = {k: np.ones(s) * i for i, (k, s) in enumerate(sizes.items())}",
        "p = {k: np.ones(s) for _, (k, s) in zip(unknown(), sizes.items())}",
        'p = {}\np.update({k: np.ones((d, n)) for k in ("V", "W")})',
        'p = {k + "": np.ones((d, n)) for k in ("W",)}\np["W"] = np.ones((3, 5))',
    ],
)
def test_items_that_a_comprehension_makes(made):
    assert shape(NUMPY.format(made=made), "found") == ("3", "5")


@pytest.mark.parametrize(
    "made",
    [
        "p = {k: np.ones((d, n)) for k in unknown()}",
        'p = {k: np.ones((d, n)) for k in ("W", "V") if unknown(k)}',
        'p = {unknown(k): np.ones((d, n)) for k in ("W", "V")}',
    ],
)
def test_keys_that_nobody_knows(made):
    assert shape(NUMPY.format(made=made), "found") is None


JAX = """
import jax
import jax.numpy as jnp

def init(key, n, h):
    law = jax.nn.initializers.{law}
    zeros = jax.nn.initializers.zeros
    return {{"w": law(key, (n, h)), "b": zeros(key, (h,)), "out": law(key, (h, 1))}}

def loss(p, x, y):
    made = jnp.tanh(x @ p["w"] + p["b"]) @ p["out"]
    return jnp.mean(({made} - y) ** 2)

p = init(jax.random.PRNGKey(0), 4, 6)
x = jax.random.normal(jax.random.PRNGKey(1), (7, 4))
value, gradient = jax.value_and_grad(loss)(p, x, x[:, 0])
"""


@pytest.mark.parametrize(
    "law", ["glorot_normal()", "normal(0.02)", "variance_scaling(2, 'a', 'b')"]
)
def test_a_loss_of_a_column_against_a_vector(law):
    found = check_source(JAX.format(law=law, made="made").encode(), "x.py", Settings()).findings
    assert [(each.code, each.fix and each.fix.line) for each in found] == [
        ("ATN201", "return jnp.mean((made[..., 0] - y) ** 2)")
    ]
    right = JAX.format(law=law, made="made[:, 0]")
    assert check_source(right.encode(), "x.py", Settings()).findings == ()
