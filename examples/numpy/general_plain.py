"""General attention (Luong) for one decoder step, with nothing but the usual names."""

import numpy as np


def softmax(x):
    e = np.exp(x - np.max(x))
    return e / np.sum(e)


def general_attention(decoder_state, encoder_states, W):
    scores = encoder_states @ (W.T @ decoder_state)
    weights = softmax(scores)
    context = weights @ encoder_states
    return context, weights
