"""Additive attention (Bahdanau et al., 2015) over encoder states padded with rows of zeros.

Padding gets a weight of exactly zero, because its share is removed before the division.
"""

import numpy as np


def additive_attention(decoder_state, encoder_states, W_a, U_a, v_a):
    """Attend over the encoder states that are not all zero.

    Parameters
    ----------
    decoder_state : (d_s,)
    encoder_states : (T_enc, d_h)
    W_a : (d_attn, d_s)
    U_a : (d_attn, d_h)
    v_a : (d_attn,)

    Returns
    -------
    context : (d_h,)
    weights : (T_enc,)
    """
    keep = np.any(encoder_states != 0, axis=1)
    hidden = np.tanh(encoder_states @ U_a.T + W_a @ decoder_state)
    scores = (hidden * v_a).sum(axis=1)
    shares = np.exp(scores - scores.max()) * keep
    weights = shares / shares.sum()
    context = weights @ encoder_states
    return context, weights


if __name__ == "__main__":
    T_enc, d_h, d_s, d_attn = 5, 6, 4, 3
    rng = np.random.default_rng(0)
    encoder_states = rng.standard_normal((T_enc, d_h))
    encoder_states[-2:] = 0
    decoder_state = rng.standard_normal(d_s)
    W_a = rng.standard_normal((d_attn, d_s))
    U_a = rng.standard_normal((d_attn, d_h))
    v_a = rng.standard_normal(d_attn)
    context, weights = additive_attention(decoder_state, encoder_states, W_a, U_a, v_a)
    print("weights", weights.round(3), "(the last two are padding)")
    print("context", context.round(3))
