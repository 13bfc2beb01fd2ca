"""Concat attention (the additive form of Luong et al., 2015) for one decoder step."""

import numpy as np


def softmax(x):
    e = np.exp(x - x.max())
    return e / e.sum()


def concat_attention(decoder_state, encoder_states, W_a, v_a):
    """decoder_state (d_s,), encoder_states (T_enc, d_h), W_a (d_attn, d_s + d_h), v_a (d_attn,)."""
    T_enc = encoder_states.shape[0]
    pairs = np.concatenate([decoder_state[None, :], encoder_states], axis=1)
    scores = np.tanh(pairs @ W_a.T) @ v_a
    assert scores.shape == (T_enc,)
    weights = softmax(scores)
    context = weights @ encoder_states
    return context, weights


if __name__ == "__main__":
    T_enc, d_h, d_s, d_attn = 5, 6, 4, 3
    rng = np.random.default_rng(0)
    decoder_state = rng.standard_normal(d_s)
    encoder_states = rng.standard_normal((T_enc, d_h))
    W_a = rng.standard_normal((d_attn, d_s + d_h))
    v_a = rng.standard_normal(d_attn)
    context, weights = concat_attention(decoder_state, encoder_states, W_a, v_a)
    print("weights", weights.round(3))
