import jax
import jax.numpy as jnp
from jax import lax


def gru_cell(params, h, x):
    z = jax.nn.sigmoid(x @ params["Wz"] + h @ params["Uz"])
    r = jax.nn.sigmoid(x @ params["Wr"] + h @ params["Ur"])
    n = jnp.tanh(x @ params["Wn"] + (r * h) @ params["Un"])
    return (1 - z) * n + z * h


def encode(params, xs, hidden):
    """xs: (B, T, D). Returns all states (B, T, H) and the last one (B, H)."""
    def body(h, x):
        h = gru_cell(params, h, x)
        return h, h

    h0 = jnp.zeros((xs.shape[0], hidden))
    last, states = lax.scan(body, h0, jnp.swapaxes(xs, 0, 1))
    return states, last


def pool(params, states):
    scores = jnp.tanh(states @ params["W"]) @ params["u"]
    weights = jax.nn.softmax(scores, axis=1)
    return jnp.einsum("bt,bth->bh", weights, states)


def model(params, xs, hidden=8):
    states, last = encode(params, xs, hidden)
    return pool(params, states)
