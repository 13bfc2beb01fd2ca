"""Luong attention with the dot score."""

import numpy as np


def softmax(x):
    e = np.exp(x - np.max(x))
    return e / e.sum()


def dot_attention(decoder_state, encoder_states):
    """Dot-product attention for one decoder step.

    Args:
        decoder_state: current decoder state, shape (d_hidden,)
        encoder_states: encoder states, shape (T_enc, d_hidden)
    """
    scores = encoder_states @ decoder_state
    weights = softmax(scores)
    context = weights @ encoder_states
    return context, weights
