import jax
import jax.numpy as jnp
from flax import linen as nn


class RelBias(nn.Module):
    heads: int
    span: int = 32

    @nn.compact
    def __call__(self, length):
        table = self.param("table", nn.initializers.normal(0.02), (2 * self.span + 1, self.heads))
        pos = jnp.arange(length)
        rel = jnp.clip(pos[None] - pos[:, None], -self.span, self.span) + self.span
        return jnp.moveaxis(table[rel], -1, 0)[None]


class AttentionBlock(nn.Module):
    dim: int
    heads: int
    dtype: jnp.dtype = jnp.float32

    @nn.compact
    def __call__(self, x, mask=None):
        d = self.dim // self.heads
        y = nn.LayerNorm(dtype=self.dtype)(x)
        proj = lambda name: nn.DenseGeneral((self.heads, d), use_bias=False, dtype=self.dtype, name=name)
        q, k, v = proj("query")(y), proj("key")(y), proj("value")(y)
        bias = RelBias(self.heads)(x.shape[1])
        y = nn.dot_product_attention(q, k, v, bias=bias, mask=mask, deterministic=True)
        y = nn.DenseGeneral(self.dim, axis=(-2, -1), dtype=self.dtype, name="out")(y)
        return x + y


class Encoder(nn.Module):
    dim: int = 32
    heads: int = 4
    depth: int = 2

    @nn.compact
    def __call__(self, x, valid):
        mask = nn.make_attention_mask(valid, valid)
        for i in range(self.depth):
            x = AttentionBlock(self.dim, self.heads, name=f"block_{i}")(x, mask)
            h = nn.gelu(nn.Dense(4 * self.dim)(nn.LayerNorm()(x)))
            x = x + nn.Dense(self.dim)(h)
        return nn.LayerNorm()(x)
