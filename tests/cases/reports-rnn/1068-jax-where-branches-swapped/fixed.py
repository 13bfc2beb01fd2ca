import jax
import jax.numpy as jnp
import flax.linen as nn


class AdditiveAttention(nn.Module):
    attn_dim: int

    @nn.compact
    def __call__(self, query, memory, mask=None):
        q = nn.Dense(self.attn_dim, use_bias=False)(query)[:, None, :]
        k = nn.Dense(self.attn_dim, use_bias=False)(memory)
        scores = nn.Dense(1, use_bias=False)(jnp.tanh(q + k)).squeeze(-1)
        if mask is not None:
            scores = jnp.where(mask, scores, -1e9)
        weights = nn.softmax(scores, axis=-1)
        context = jnp.einsum("bt,btd->bd", weights, memory)
        return context, weights


class DecoderStep(nn.Module):
    vocab_size: int
    hidden: int

    @nn.compact
    def __call__(self, token, state, memory, src_tokens, pad_id=0):
        mask = src_tokens != pad_id
        context, weights = AdditiveAttention(self.hidden)(state, memory, mask)
        x = nn.Embed(self.vocab_size, self.hidden)(token)
        state, out = nn.GRUCell(features=self.hidden)(state, jnp.concatenate([x, context], axis=-1))
        return nn.Dense(self.vocab_size)(out), state, weights
