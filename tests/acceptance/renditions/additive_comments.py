"""Additive attention from scratch."""

import numpy as np


def additive_attention(decoder_state, encoder_states, W_a, U_a, v_a):
    # score(s, h_i) = v_a^T tanh(W_a s + U_a h_i)
    projected_dec = np.dot(W_a, decoder_state)  # (d_attn,)
    projected_enc = np.dot(encoder_states, U_a.T)  # (T_enc, d_attn)
    scores = np.dot(np.tanh(projected_enc + projected_dec), v_a)  # (T_enc,)

    # normalise
    scores = scores - scores.max()
    weights = np.exp(scores) / np.exp(scores).sum()  # (T_enc,)

    # weighted sum of the encoder states
    context = np.dot(weights, encoder_states)  # (d_h,)
    return context, weights


def main():
    d_s = 8
    d_h = 8
    d_attn = 8
    T_enc = 8
    rng = np.random.default_rng(1)
    decoder_state = rng.standard_normal((d_s,))
    encoder_states = rng.standard_normal((T_enc, d_h))
    W_a = rng.standard_normal((d_attn, d_s)) * 0.1
    U_a = rng.standard_normal((d_attn, d_h)) * 0.1
    v_a = rng.standard_normal((d_attn,))
    context, weights = additive_attention(decoder_state, encoder_states, W_a, U_a, v_a)
    assert np.isclose(weights.sum(), 1.0)
    print(context)


if __name__ == "__main__":
    main()
