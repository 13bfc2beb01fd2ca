"""Dot-product attention (Luong) for one decoder step, with nothing but the usual names."""

import numpy as np


def softmax(x):
    e = np.exp(x - np.max(x))
    return e / np.sum(e)


def dot_attention(decoder_state, encoder_states):
    assert decoder_state.shape[0] == encoder_states.shape[1]
    scores = encoder_states @ decoder_state
    weights = softmax(scores)
    context = weights @ encoder_states
    return context, weights
