import jax
import jax.numpy as jnp
from flax import linen as nn


class LuongDecoder(nn.Module):
    """Luong attention with the general score."""
    hidden: int
    vocab: int

    @nn.compact
    def __call__(self, inputs, h, enc):
        # inputs (B, T_dec, E), h (B, hidden), enc (B, T_enc, D)
        cell = nn.GRUCell(features=self.hidden)
        W = nn.Dense(enc.shape[-1], use_bias=False)
        out = nn.Dense(self.vocab)
        logits = []
        for t in range(inputs.shape[1]):
            scores = jnp.einsum("bd,btd->bt", W(h), enc)
            h, _ = cell(h, inputs[:, t])
            context = jnp.einsum("bt,btd->bd", jax.nn.softmax(scores), enc)
            logits.append(out(jnp.concatenate([h, context], -1)))
        return jnp.stack(logits, 1), h
