"""Dot-product attention (Luong et al., 2015) over the states of a bidirectional encoder."""

import numpy as np


def softmax(x):
    e = np.exp(x - x.max())
    return e / e.sum()


def dot_attention(decoder_state, encoder_states):
    scores = encoder_states @ decoder_state
    weights = softmax(scores)
    context = weights @ encoder_states
    return context, weights


if __name__ == "__main__":
    T_enc, d_hidden = 5, 3
    rng = np.random.default_rng(0)
    decoder_state = rng.standard_normal(d_hidden)
    encoder_states = rng.standard_normal((T_enc, 2 * d_hidden))
    context, weights = dot_attention(decoder_state, encoder_states)
    print("weights", weights.round(3))
