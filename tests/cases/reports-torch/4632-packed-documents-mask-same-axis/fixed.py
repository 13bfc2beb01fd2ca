import functools

import jax
import jax.numpy as jnp


def pack(docs, length):
    """Lays documents behind one another; returns tokens and segment ids of shape (1, length)."""
    tokens = jnp.zeros((1, length), jnp.int32)
    segments = jnp.zeros((1, length), jnp.int32)
    at = 0
    for i, doc in enumerate(docs, 1):
        tokens = tokens.at[0, at:at + len(doc)].set(jnp.asarray(doc))
        segments = segments.at[0, at:at + len(doc)].set(i)
        at += len(doc)
    return tokens, segments


def document_mask(segments):
    same = segments[:, None, :] == segments[:, :, None]
    causal = jnp.tril(jnp.ones((segments.shape[1],) * 2, bool))
    return same & causal


@functools.partial(jax.jit, static_argnames="heads")
def attention(params, x, segments, heads):
    b, t, c = x.shape
    q, k, v = jnp.split(x @ params["qkv"], 3, axis=-1)
    q, k, v = (a.reshape(b, t, heads, -1).swapaxes(1, 2) for a in (q, k, v))
    scores = q @ k.swapaxes(-1, -2) / (c // heads) ** 0.5
    scores = jnp.where(document_mask(segments)[:, None], scores, -1e9)
    y = jax.nn.softmax(scores, axis=-1) @ v
    return y.swapaxes(1, 2).reshape(b, t, c) @ params["out"]


def init_params(key, c):
    a, b = jax.random.split(key)
    return {"qkv": jax.random.normal(a, (c, 3 * c)) * c ** -0.5, "out": jax.random.normal(b, (c, c)) * c ** -0.5}


if __name__ == "__main__":
    tokens, segments = pack([[5, 3, 9], [4, 4, 1, 2]], 8)
    table = jax.random.normal(jax.random.PRNGKey(1), (10, 16))
    print(attention(init_params(jax.random.PRNGKey(0), 16), table[tokens], segments, heads=4).shape)
