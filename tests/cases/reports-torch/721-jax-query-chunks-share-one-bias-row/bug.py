import jax
import jax.numpy as jnp
from jax import lax


def chunk_attention(query, key, value, bias):
    """query (B, c, H, D), key and value (B, S, H, D), bias (B, 1, c, S)."""
    scores = jnp.einsum("bqhd,bkhd->bhqk", query, key) * query.shape[-1] ** -0.5
    weights = jax.nn.softmax(scores + bias, axis=-1)
    return jnp.einsum("bhqk,bkhd->bqhd", weights, value)


def memory_efficient_attention(query, key, value, bias, query_chunk_size=16):
    B, T, H, D = query.shape
    S = key.shape[1]
    chunk = min(query_chunk_size, T)

    def bias_fn(start):
        slice_q_len = 1
        return lax.dynamic_slice(bias, (0, 0, start, 0), (B, 1, slice_q_len, S))

    def one_chunk(start):
        q = lax.dynamic_slice_in_dim(query, start, chunk, axis=1)
        return chunk_attention(q, key, value, bias_fn(start))

    out = lax.map(one_chunk, jnp.arange(0, T, chunk))         # T/c, B, c, H, D
    return jnp.moveaxis(out, 0, 1).reshape(B, T, H, D)


def multihead_attention(params, x, mask, num_heads, query_chunk_size=16):
    B, T, C = x.shape
    q, k, v = ((x @ params[name]).reshape(B, T, num_heads, -1) for name in ("wq", "wk", "wv"))
    bias = jnp.where(mask, 0.0, -1e9)
    out = memory_efficient_attention(q, k, v, bias, query_chunk_size)
    return out.reshape(B, T, C) @ params["wo"]


def init(key, dim):
    keys = jax.random.split(key, 4)
    return {n: jax.random.normal(k, (dim, dim)) * dim ** -0.5 for n, k in zip(("wq", "wk", "wv", "wo"), keys)}


if __name__ == "__main__":
    params = init(jax.random.PRNGKey(0), 32)
    x = jax.random.normal(jax.random.PRNGKey(1), (2, 64, 32))
    visible = jnp.broadcast_to(jnp.tril(jnp.ones((64, 64), bool), k=10), (2, 1, 64, 64))
    print(multihead_attention(params, x, visible, num_heads=4).shape)
