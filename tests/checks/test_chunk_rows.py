"""ATN501: one row of a mask for all queries of a chunk."""

import pytest

from attncheck.engine import check_source
from attncheck.settings import Settings

CODE = """import jax
import jax.numpy as jnp
from jax import lax


def attend(query, key, value, bias, chunk=4):
    B, T, D = query.shape
    S = key.shape[1]

    def one(start):
        q = lax.dynamic_slice_in_dim(query, start, chunk, axis=1)
        row = {row}
        scores = jnp.einsum("bqd,bkd->bqk", q, key)
        weights = jax.nn.softmax({masked}, axis=-1)
        return jnp.einsum("bqk,bkd->bqd", weights, value)

    out = lax.map(one, jnp.arange(0, T, chunk))
    return jnp.moveaxis(out, 0, 1).reshape(B, T, D)


def run(bias=None):
    x = jax.random.normal(jax.random.PRNGKey(0), (2, 16, 8))
    causal = jnp.where(jnp.tril(jnp.ones((16, 16))) == 1, 0.0, -1e9)
    bias = jnp.broadcast_to(causal, (2, 16, 16)){part}
    return attend(x, x, x, bias)


y = run()
"""
WRONG = [
    "lax.dynamic_slice(bias, (0, start, 0), (B, 1, S))",
    "lax.dynamic_slice_in_dim(bias, start, 1, axis=1)",
]
RIGHT = [
    "lax.dynamic_slice(bias, (0, start, 0), (B, chunk, S))",
    "lax.dynamic_slice_in_dim(bias, start, chunk, axis=1)",
    "lax.dynamic_slice_in_dim(bias, start, min(chunk, bias.shape[1]), axis=1)",
    "bias[:, :1]",  # not from where the queries start
]


def code(row, masked="scores + row", part=""):
    return CODE.format(row=row, masked=masked, part=part)


def findings(*arguments):
    return check_source(code(*arguments).encode(), "x.py", Settings()).findings


@pytest.mark.parametrize("row", WRONG)
@pytest.mark.parametrize("masked", ["scores + row", "row + scores"])
def test_a_row_that_is_stretched_over_a_chunk(row, masked):
    (finding,) = findings(row, masked)
    assert (finding.code, finding.line, finding.severity) == ("ATN501", 12, "error")
    assert finding.tensor.shape == (2, 1, 16)
    assert finding.expected.shape == (2, 4, 16)
    assert "the row of the first of them is put on the scores of all 4" in finding.message


@pytest.mark.parametrize("row", RIGHT)
def test_rows_for_each_query(row):
    assert findings(row) == ()


@pytest.mark.parametrize("row", WRONG)
def test_a_mask_that_has_one_row_for_all(row):
    assert findings(row, "scores + row", "[:, -1:]") == ()


def test_that_the_rows_of_the_other_queries_are_not_used():
    jax = pytest.importorskip("jax")
    results = []
    for row in (WRONG[0], RIGHT[0], WRONG[1], RIGHT[1]):
        space = {}
        exec(code(row), space)
        results.append(space["y"])
    assert jax.numpy.allclose(results[0], results[2])
    assert jax.numpy.allclose(results[1], results[3])
    whole = jax.random.normal(jax.random.PRNGKey(0), (2, 16, 8))
    scores = jax.numpy.einsum("bqd,bkd->bqk", whole, whole)
    hidden = jax.numpy.tril(jax.numpy.ones((16, 16))) == 0
    weights = jax.nn.softmax(jax.numpy.where(hidden, -1e9, scores), axis=-1)
    wanted = jax.numpy.einsum("bqk,bkd->bqd", weights, whole)
    assert jax.numpy.allclose(results[1], wanted, atol=1e-5)
    assert not jax.numpy.allclose(results[0], wanted, atol=1e-2)
