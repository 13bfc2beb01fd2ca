import flax.linen as nn
import jax
import jax.numpy as jnp


class DecoderBlock(nn.Module):
    num_heads: int

    @nn.compact
    def __call__(self, x, mask):
        h = nn.LayerNorm()(x)
        x = x + nn.MultiHeadDotProductAttention(num_heads=self.num_heads)(h, h, mask=mask)
        h = nn.LayerNorm()(x)
        h = nn.Dense(4 * x.shape[-1])(h)
        return x + nn.Dense(x.shape[-1])(nn.gelu(h))


class MusicTransformer(nn.Module):
    vocab: int
    width: int = 32
    num_heads: int = 4
    depth: int = 2
    max_len: int = 128

    @nn.compact
    def __call__(self, notes):
        x = nn.Embed(self.vocab, self.width)(notes)
        x = x + nn.Embed(self.max_len, self.width)(jnp.arange(notes.shape[1]))
        mask = nn.make_causal_mask(notes)
        for _ in range(self.depth):
            x = DecoderBlock(self.num_heads)(x, mask)
        return nn.Dense(self.vocab)(x)


if __name__ == "__main__":
    model = MusicTransformer(vocab=90)
    notes = jax.random.randint(jax.random.PRNGKey(0), (2, 16), 0, 90)
    variables = model.init(jax.random.PRNGKey(1), notes)
    print(model.apply(variables, notes).shape)
