"""Scaled dot-product attention (Vaswani et al., 2017) with heads and an optional mask, in JAX."""

import jax
import jax.numpy as jnp


def scaled_dot_product_attention(query, key, value, mask=None):
    """Attend with every query over all keys.

    Args:
        query: (B, n_heads, T_dec, d_k)
        key: (B, n_heads, T_enc, d_k)
        value: (B, n_heads, T_enc, d_v)
        mask: (B, T_enc), True where a key may be attended to

    Returns:
        output (B, n_heads, T_dec, d_v) and weights (B, n_heads, T_dec, T_enc)
    """
    d_k = query.shape[-1]
    scores = jnp.einsum("bhqd,bhkd->bhqk", query, key) / jnp.sqrt(d_k)
    if mask is not None:
        scores = jnp.where(mask[:, None, None, :], scores, -jnp.inf)
    weights = jax.nn.softmax(scores, axis=-2)
    output = jnp.einsum("bhqk,bhkv->bhqv", weights, value)
    return output, weights


if __name__ == "__main__":
    B, n_heads, T_dec, T_enc, d_k, d_v = 2, 7, 3, 5, 4, 6
    keys = jax.random.split(jax.random.key(0), 3)
    query = jax.random.normal(keys[0], (B, n_heads, T_dec, d_k))
    key = jax.random.normal(keys[1], (B, n_heads, T_enc, d_k))
    value = jax.random.normal(keys[2], (B, n_heads, T_enc, d_v))
    mask = jnp.arange(T_enc)[None, :] < jnp.array([5, 3])[:, None]
    output, weights = scaled_dot_product_attention(query, key, value, mask)
    print("second sequence, of length 3, first head:", weights[1, 0].tolist())
    print("output", output.shape)
