"""Multi-head self-attention (Vaswani et al., 2017) for a batch, with plain weight matrices, in JAX."""

import jax
import jax.numpy as jnp


def split_heads(x, n_heads):
    B, T, d_model = x.shape
    return x.reshape(B, T, n_heads, d_model // n_heads).swapaxes(1, 2)


def merge_heads(x):
    B, n_heads, T, d_k = x.shape
    return x.swapaxes(1, 2).reshape(B, T, n_heads * d_k)


def multi_head_self_attention(x, W_q, W_k, W_v, W_o, n_heads):
    q = split_heads(x @ W_q, n_heads)
    k = split_heads(x @ W_k, n_heads)
    v = split_heads(x @ W_v, n_heads)
    scores = q @ k.swapaxes(-2, -1) / jnp.sqrt(q.shape[-1])
    weights = jax.nn.softmax(scores, axis=-1)
    output = merge_heads(weights @ v) @ W_o
    return output, weights


if __name__ == "__main__":
    B, T, d_model, n_heads = 2, 5, 12, 3
    keys = jax.random.split(jax.random.key(0), 5)
    x = jax.random.normal(keys[0], (B, T, d_model))
    W_q, W_k, W_v, W_o = (jax.random.normal(key, (d_model, d_model)) for key in keys[1:])
    output, weights = multi_head_self_attention(x, W_q, W_k, W_v, W_o, n_heads)
    print("weights", weights.shape, "smallest sum", weights.sum(axis=-1).min().item())
    print("output", output.shape)
