import jax
import jax.numpy as jnp


def init_params(key, features, hidden, classes):
    k = jax.random.split(key, 5)
    return {
        "W_x": jax.random.normal(k[0], (features, 4 * hidden)) / jnp.sqrt(features),
        "W_h": jax.random.normal(k[1], (hidden, 4 * hidden)) / jnp.sqrt(hidden),
        "b": jnp.zeros(4 * hidden),
        "W_a": jax.random.normal(k[2], (hidden, hidden)) / jnp.sqrt(hidden),
        "v": jax.random.normal(k[3], (hidden,)),
        "W_o": jax.random.normal(k[4], (hidden, classes)) / jnp.sqrt(hidden),
    }


def lstm_cell(params, carry, x):
    h, c = carry
    i, f, g, o = jnp.split(x @ params["W_x"] + h @ params["W_h"] + params["b"], 4, axis=-1)
    c = jax.nn.sigmoid(f) * c + jax.nn.sigmoid(i) * jnp.tanh(g)
    h = jax.nn.sigmoid(o) * jnp.tanh(c)
    return (h, c), h


def initialize_carry(params, batch_size):
    zeros = jnp.zeros((batch_size, params["W_h"].shape[0]))
    return zeros, zeros


def encode(params, xs):
    """xs: (batch, time, features) -> states with time in front"""
    carry = initialize_carry(params, xs.shape[0])
    _, states = jax.lax.scan(lambda c, x: lstm_cell(params, c, x), carry, xs)
    return states


@jax.jit
def classify(params, xs, lengths):
    states = encode(params, xs)
    scores = jnp.tanh(states @ params["W_a"]) @ params["v"]
    valid = jnp.arange(states.shape[0])[:, None] < lengths[None, :]
    weights = jax.nn.softmax(jnp.where(valid, scores, -1e9), axis=0)
    summary = jnp.einsum("tb,tbh->bh", weights, states)
    return summary @ params["W_o"]
