import jax
import jax.numpy as jnp
from flax import linen as nn


class SelfAttention(nn.Module):
    dim: int
    heads: int

    @nn.compact
    def __call__(self, x):
        b, t, _ = x.shape
        qkv = nn.Dense(3 * self.dim, use_bias=False, name="qkv")(x)
        qkv = qkv.reshape(b, t, 3, self.heads, self.dim // self.heads)
        q, k, v = jnp.transpose(qkv, (2, 0, 1, 3, 4))
        y = jax.nn.dot_product_attention(q, k, v)
        y = y.reshape(b, t, self.dim)
        return nn.Dense(self.dim, name="proj")(y)


class TagModel(nn.Module):
    """GRU tagger with one attention layer on top."""
    n_words: int
    n_tags: int
    dim: int = 64

    @nn.compact
    def __call__(self, ids):
        x = nn.Embed(self.n_words, self.dim)(ids)
        x = nn.RNN(nn.GRUCell(self.dim))(x)
        x = nn.LayerNorm()(x + SelfAttention(self.dim, heads=4)(x))
        return nn.Dense(self.n_tags)(x)


if __name__ == "__main__":
    ids = jnp.arange(24).reshape(2, 12)
    model = TagModel(n_words=100, n_tags=9)
    params = model.init(jax.random.PRNGKey(0), ids)
    print(model.apply(params, ids).shape)
