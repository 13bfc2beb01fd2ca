"""General attention (Luong et al., 2015) for one decoder step."""

import numpy as np


def softmax(z):
    z = np.exp(z - np.max(z))
    return z / z.sum()


def general_attention(decoder_state, encoder_states, W):
    query = W.T @ decoder_state
    scores = encoder_states @ query
    weights = softmax(scores)
    weighted = weights * encoder_states
    context = weighted.sum(axis=0)
    return context, weights


if __name__ == "__main__":
    d_s = 4
    T_enc = d_h = 6
    rng = np.random.default_rng(0)
    W = rng.standard_normal((d_s, d_h))
    decoder_state = rng.standard_normal((d_s,))
    encoder_states = rng.standard_normal((T_enc, d_h))
    context, weights = general_attention(decoder_state, encoder_states, W)
    print("weights", weights.round(3), "context", context.round(3))
