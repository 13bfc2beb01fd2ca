"""Additive attention (Bahdanau et al., 2015) for a batch: one sequence, mapped over the batch."""

import jax
import jax.numpy as jnp


def attend(decoder_state, encoder_states, W_a, U_a, v_a):
    """One sequence: decoder_state (d_s,), encoder_states (T_enc, d_h)."""
    hidden = jnp.tanh(W_a @ decoder_state + encoder_states @ U_a.T)
    scores = hidden @ v_a
    weights = jax.nn.softmax(scores)
    context = weights @ encoder_states
    return context, weights


@jax.jit
def additive_attention(decoder_state, encoder_states, W_a, U_a, v_a):
    """A batch: decoder_state (B, d_s), encoder_states (B, T_enc, d_h).

    W_a is (d_attn, d_s), U_a (d_attn, d_h), v_a (d_attn,). Returns the context (B, d_h) and the
    weights (B, T_enc).
    """
    batched = jax.vmap(attend, in_axes=(0, 0, None, None, None))
    context, weights = batched(decoder_state, encoder_states, W_a, U_a, v_a)
    return context, weights


if __name__ == "__main__":
    B, T_enc, d_h, d_s, d_attn = 2, 5, 6, 4, 3
    keys = jax.random.split(jax.random.key(0), 5)
    decoder_state = jax.random.normal(keys[0], (B, d_s))
    encoder_states = jax.random.normal(keys[1], (B, T_enc, d_h))
    W_a = jax.random.normal(keys[2], (d_attn, d_s))
    U_a = jax.random.normal(keys[3], (d_attn, d_h))
    v_a = jax.random.normal(keys[4], (d_attn,))
    context, weights = additive_attention(decoder_state, encoder_states, W_a, U_a, v_a)
    print("weights", weights.tolist())
    print("context", context.shape)
