"""Additive attention (Bahdanau et al., 2015) for one decoder step."""

import numpy as np


def softmax(x):
    e = np.exp(x - x.max())
    return e / e.sum()


def additive_attention(decoder_state, encoder_states, W_a, U_a, v_a):
    projected_dec = W_a @ decoder_state  # (d_attn,)
    projected_enc = encoder_states @ U_a.T  # (d_attn, T_enc)
    scores = np.tanh(projected_enc + projected_dec) @ v_a  # (T_enc,)
    weights = softmax(scores)
    context = weights @ encoder_states  # (d_h,)
    return context, weights


if __name__ == "__main__":
    T_enc, d_h, d_s, d_attn = 5, 6, 4, 3
    rng = np.random.default_rng(0)
    context, weights = additive_attention(
        decoder_state=rng.standard_normal(d_s),
        encoder_states=rng.standard_normal((T_enc, d_h)),
        W_a=rng.standard_normal((d_attn, d_s)),
        U_a=rng.standard_normal((d_attn, d_h)),
        v_a=rng.standard_normal(d_attn),
    )
    print("weights", weights.round(3))
