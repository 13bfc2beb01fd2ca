"""Additive attention (Bahdanau et al., 2015) for one decoder step, in JAX."""

import jax
import jax.numpy as jnp


def additive_attention(decoder_state, encoder_states, W_a, U_a, v_a):
    """Attend over the encoder states.

    Args:
        decoder_state: decoder state before this step, (d_s,).
        encoder_states: (T_enc, d_h).
        W_a: (d_attn, d_s).
        U_a: (d_attn, d_h).
        v_a: (d_attn,).

    Returns:
        The context (d_h,) and the weights (T_enc,).
    """
    hidden = jnp.tanh(W_a @ decoder_state + encoder_states @ U_a.T)
    scores = hidden @ v_a
    weights = jax.nn.softmax(scores)
    context = weights @ encoder_states
    return context, weights


if __name__ == "__main__":
    T_enc, d_h, d_s, d_attn = 5, 6, 4, 3
    keys = jax.random.split(jax.random.key(0), 5)
    decoder_state = jax.random.normal(keys[0], (d_s,))
    encoder_states = jax.random.normal(keys[1], (T_enc, d_h))
    W_a = jax.random.normal(keys[2], (d_attn, d_s))
    U_a = jax.random.normal(keys[3], (d_attn, d_h))
    v_a = jax.random.normal(keys[4], (d_attn,))
    context, weights = additive_attention(decoder_state, encoder_states, W_a, U_a, v_a)
    print("weights", weights.tolist(), "sum", weights.sum().item())
    print("context", context.tolist())
