"""ATN304: results that are time first where the docstring says that the batch is."""

import numpy as np
import pytest

from attncheck.engine import check_source
from attncheck.settings import Settings

SCAN = '''import jax
import jax.numpy as jnp
from jax import lax


def cell(params, h, x):
    return jnp.tanh(x @ params["W"] + h @ params["U"])


def encode(params, xs, hidden):
    """{says}"""
    def body(h, x):
        {round}

    h0 = jnp.zeros((xs.shape[0], hidden))
    last, states = lax.scan(body, {init}, jnp.swapaxes(xs, 0, 1))
    return {result}


def pool(params, states):
    weights = jax.nn.softmax(jnp.tanh(states) @ params["u"], axis=1)
    return jnp.einsum("bt,bth->bh", weights, states)
'''
PLAIN = {
    "says": "xs: (B, T, D). Returns all states (B, T, H) and the last one (B, H).",
    "round": "h = cell(params, h, x)\n        return h, h",
    "init": "h0",
    "result": "states, last",
}
CARRIED = {"round": "h = cell(params, h[0], x)\n        return (h, h), h", "init": "(h0, h0)"}


def findings(**changes):
    code = SCAN.format(**(PLAIN | changes))
    return check_source(code.encode(), "x.py", Settings()).findings


@pytest.mark.parametrize(
    "says",
    [
        PLAIN["says"],
        "xs (batch, time, width). Returns states (batch, time, hidden) and last (batch, hidden).",
    ],
)
def test_what_a_scan_gives_is_time_first(says):
    (finding,) = findings(says=says)
    assert (finding.code, finding.line) == ("ATN304", 18)
    assert finding.tensor.name == "states"
    assert finding.expected.shape[:2] == finding.tensor.shape[1::-1]
    assert "what a scan gives is stacked in front of the batch" in finding.message
    assert finding.fix.line == "return states.swapaxes(0, 1), last"
    assert findings(says=says, result="jnp.swapaxes(states, 0, 1), last") == ()


@pytest.mark.parametrize(
    "changes",
    [
        {"says": "xs: (B, T, D). Returns all states (T, B, H) and the last one (B, H)."},
        {"says": "xs: (B, T, D). Returns all states and the last one."},
        {"says": "Returns all states (B, T, H) and the last one (B, H)."},
        {"says": "xs: (n, m, D). Returns all states (n, m, H) and the last one (n, H)."},
        {"result": "states.swapaxes(0, 1), last"},
        {"result": "jnp.stack(list(states), axis=1), last"},
    ],
)
def test_what_the_docstring_has_so_or_does_not_say(changes):
    assert findings(**changes) == ()


def test_torch():
    code = '''import torch
def turn(x):
    """x: (B, T, D). Returns the turned states (B, T, D)."""
    b, t, d = x.shape
    return {}
'''
    (finding,) = check_source(
        code.format("x.permute(1, 0, 2)").encode(), "x.py", Settings()
    ).findings
    assert (finding.code, finding.line) == ("ATN304", 5)
    assert finding.fix.line == "return x.permute(1, 0, 2).transpose(0, 1)"
    assert check_source(code.format("x * 2").encode(), "x.py", Settings()).findings == ()


def test_the_stacked_states_in_jax():
    jax = pytest.importorskip("jax")
    rng = np.random.default_rng(0)
    params = {"W": rng.normal(size=(3, 5)), "U": rng.normal(size=(5, 5)), "u": rng.normal(size=5)}
    xs = rng.normal(size=(4, 7, 3)).astype("float32")
    results = {}
    for result in ("states, last", "states.swapaxes(0, 1), last"):
        space = {}
        exec(SCAN.format(**(PLAIN | {"result": result})), space)
        states, last = space["encode"](params, xs, 5)
        results[states.shape] = states, last, space["pool"](params, states)
    assert set(results) == {(7, 4, 5), (4, 7, 5)}
    states, last, context = results[4, 7, 5]
    assert np.allclose(states[:, -1], last)
    assert context.shape == (4, 5)
    assert results[7, 4, 5][2].shape == (7, 5)
    assert jax is not None
