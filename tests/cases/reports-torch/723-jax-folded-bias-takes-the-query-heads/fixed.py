import math

import jax
import jax.numpy as jnp


def fused_attention(query, key, value, bias):
    """The kernel: query (B, T, N, H), key and value (B, S, N, H), bias (B, 1 or N, T, S)."""
    logits = jnp.einsum("btnh,bsnh->bnts", query, key) * query.shape[-1] ** -0.5
    weights = jax.nn.softmax(logits + bias, axis=-1)
    return jnp.einsum("bnts,bsnh->btnh", weights, value)


def attention_batcher(query, key, value, bias=None):
    """Folds any number of leading axes into the batch axis of the kernel."""
    *batch, T, N, H = query.shape
    *_, S, _, _ = key.shape
    B = math.prod(batch)
    query = jnp.reshape(query, (B,) + query.shape[-3:])
    key = jnp.reshape(key, (B,) + key.shape[-3:])
    value = jnp.reshape(value, (B,) + value.shape[-3:])
    if bias is None:
        bias = jnp.zeros((B, 1, T, S))
    bias = jnp.reshape(bias, (B,) + bias.shape[-3:])
    out = fused_attention(query, key, value, bias)
    return out.reshape(*batch, T, N, H)


def agents_attention(params, x, mask, num_heads):
    """x (agents, batch, time, dim), mask (agents, batch, 1, time, time) is True where a step may be seen."""
    q, k, v = (jnp.einsum("vbtd,de->vbte", x, params[n]) for n in ("q", "k", "v"))
    q, k, v = (t.reshape(*t.shape[:-1], num_heads, -1) for t in (q, k, v))
    out = attention_batcher(q, k, v, jnp.where(mask, 0.0, -1e9))
    return out.reshape(x.shape) @ params["o"]


if __name__ == "__main__":
    keys = jax.random.split(jax.random.PRNGKey(0), 5)
    params = {n: jax.random.normal(k, (32, 32)) * 0.1 for n, k in zip("qkvo", keys)}
    x = jax.random.normal(keys[4], (3, 2, 12, 32))
    causal = jnp.broadcast_to(jnp.tril(jnp.ones((12, 12), bool)), (3, 2, 1, 12, 12))
    print(agents_attention(params, x, causal, num_heads=4).shape)
