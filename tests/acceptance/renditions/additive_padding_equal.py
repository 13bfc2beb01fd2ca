"""Additive attention over a padded source sentence."""

import numpy as np


def additive_attention(decoder_state, encoder_states, W_a, U_a, v_a):
    """decoder_state (d_s,), encoder_states (T_enc, d_h); padding is all zeros.

    W_a (d_attn, d_s), U_a (d_attn, d_h), v_a (d_attn,).
    """
    keep = (np.abs(encoder_states).sum(axis=1) > 0).astype(float)
    projected_dec = W_a @ decoder_state
    projected_enc = encoder_states @ U_a.T
    unnormalised = np.exp(np.tanh(projected_enc + projected_dec) @ v_a) * keep
    weights = unnormalised / unnormalised.sum()
    context = weights @ encoder_states
    return context, weights


if __name__ == "__main__":
    d_s = d_h = d_attn = T_enc = 8
    rng = np.random.default_rng(0)
    encoder_states = rng.standard_normal((T_enc, d_h))
    encoder_states[5:] = 0
    decoder_state = rng.standard_normal(d_s)
    W_a = rng.standard_normal((d_attn, d_s))
    U_a = rng.standard_normal((d_attn, d_h))
    v_a = rng.standard_normal(d_attn)
    context, weights = additive_attention(decoder_state, encoder_states, W_a, U_a, v_a)
    print(weights.round(3))
