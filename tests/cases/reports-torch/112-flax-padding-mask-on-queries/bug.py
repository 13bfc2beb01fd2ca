from typing import Optional

import flax.linen as nn
import jax
import jax.numpy as jnp


class EncoderSelfAttention(nn.Module):
    num_heads: int
    head_dim: int

    @nn.compact
    def __call__(self, x: jnp.ndarray, padding_mask: Optional[jnp.ndarray] = None):
        # x: [batch, length, features]; padding_mask: [batch, length], True for real tokens
        batch, length, features = x.shape
        dense = lambda name: nn.DenseGeneral((self.num_heads, self.head_dim), name=name)
        query, key, value = dense("query")(x), dense("key")(x), dense("value")(x)

        logits = jnp.einsum("bqhd,bkhd->bhqk", query, key) / jnp.sqrt(self.head_dim)
        if padding_mask is not None:
            logits = jnp.where(padding_mask[:, None, :, None], logits, -1e9)
        weights = jax.nn.softmax(logits, axis=-1)
        out = jnp.einsum("bhqk,bkhd->bqhd", weights, value)
        return nn.DenseGeneral(features, axis=(-2, -1), name="out")(out)


def demo():
    x = jnp.ones((2, 7, 24))
    lengths = jnp.array([7, 4])
    padding_mask = jnp.arange(7)[None, :] < lengths[:, None]
    layer = EncoderSelfAttention(num_heads=3, head_dim=8)
    params = layer.init(jax.random.PRNGKey(0), x, padding_mask)
    return layer.apply(params, x, padding_mask)
