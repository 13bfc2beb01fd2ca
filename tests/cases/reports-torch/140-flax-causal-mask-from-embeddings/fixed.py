import flax.linen as nn
import jax
import jax.numpy as jnp


class Block(nn.Module):
    num_heads: int
    features: int

    @nn.compact
    def __call__(self, x, mask=None):
        h = nn.LayerNorm()(x)
        h = nn.MultiHeadDotProductAttention(num_heads=self.num_heads, qkv_features=self.features)(h, h, mask=mask)
        x = x + h
        h = nn.Dense(4 * self.features)(nn.LayerNorm()(x))
        return x + nn.Dense(self.features)(nn.gelu(h))


class MiniGPT(nn.Module):
    vocab: int
    features: int = 32
    num_heads: int = 4

    @nn.compact
    def __call__(self, tokens):
        x = nn.Embed(self.vocab, self.features)(tokens)
        mask = nn.make_causal_mask(tokens)
        for _ in range(2):
            x = Block(self.num_heads, self.features)(x, mask)
        return nn.Dense(self.vocab)(x)


if __name__ == "__main__":
    tokens = jnp.ones((2, 9), dtype=jnp.int32)
    model = MiniGPT(64)
    params = model.init(jax.random.PRNGKey(0), tokens)
    print(model.apply(params, tokens).shape)
