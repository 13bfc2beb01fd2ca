"""Additive attention (Bahdanau et al., 2015) for a batch, one decoder step."""

import numpy as np


def softmax(x, axis=-1):
    x = x - x.max(axis=axis, keepdims=True)
    e = np.exp(x)
    return e / e.sum(axis=axis, keepdims=True)


def additive_attention(decoder_state, encoder_states, W_a, U_a, v_a):
    projected_dec = decoder_state @ W_a.T
    projected_enc = encoder_states @ U_a.T
    scores = np.tanh(projected_enc + projected_dec) @ v_a
    weights = softmax(scores, axis=1)
    context = np.einsum("bt,bth->bh", weights, encoder_states)
    return context, weights


if __name__ == "__main__":
    B, T_enc, d_h, d_s, d_attn = 2, 5, 6, 4, 3
    rng = np.random.default_rng(0)
    decoder_state = rng.standard_normal((B, d_s))
    encoder_states = rng.standard_normal((B, T_enc, d_h))
    W_a = rng.standard_normal((d_attn, d_s))
    U_a = rng.standard_normal((d_attn, d_h))
    v_a = rng.standard_normal(d_attn)
    context, weights = additive_attention(decoder_state, encoder_states, W_a, U_a, v_a)
    print("weights", weights.shape)
