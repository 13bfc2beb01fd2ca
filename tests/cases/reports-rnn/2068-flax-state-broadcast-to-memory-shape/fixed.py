import flax.linen as nn
import jax
import jax.numpy as jnp


class BiEncoder(nn.Module):
    hidden: int

    @nn.compact
    def __call__(self, x):
        fwd = nn.RNN(nn.GRUCell(self.hidden))(x)
        bwd = nn.RNN(nn.GRUCell(self.hidden), reverse=True, keep_order=True)(x)
        return jnp.concatenate([fwd, bwd], axis=-1)


class ConcatAttention(nn.Module):
    """score(s, h) = v^T tanh(W [s; h])"""
    units: int

    @nn.compact
    def __call__(self, state, memory, mask=None):
        tiled = jnp.broadcast_to(state[:, None, :], memory.shape[:2] + state.shape[-1:])
        hidden = jnp.tanh(nn.Dense(self.units)(jnp.concatenate([tiled, memory], axis=-1)))
        scores = nn.Dense(1, use_bias=False)(hidden).squeeze(-1)
        if mask is not None:
            scores = jnp.where(mask, scores, -1e9)
        weights = nn.softmax(scores, axis=-1)
        return jnp.einsum("bt,btd->bd", weights, memory), weights


class DecoderStep(nn.Module):
    hidden: int
    vocab: int

    @nn.compact
    def __call__(self, state, prev, memory):
        context, weights = ConcatAttention(self.hidden)(state, memory)
        x = jnp.concatenate([nn.Embed(self.vocab, self.hidden)(prev), context], axis=-1)
        state, y = nn.GRUCell(self.hidden)(state, x)
        return state, nn.Dense(self.vocab)(y), weights


if __name__ == "__main__":
    key = jax.random.PRNGKey(0)
    memory, _ = BiEncoder(16).init_with_output(key, jnp.ones((2, 7, 10)))
    (state, logits, weights), _ = DecoderStep(16, 30).init_with_output(
        key, jnp.zeros((2, 16)), jnp.array([1, 1]), memory)
    print(logits.shape, weights.shape)
