"""Luong attention with the general score."""

import numpy as np


def softmax(x):
    e = np.exp(x - np.max(x))
    return e / e.sum()


def general_attention(decoder_state, encoder_states, W):
    """Score every encoder state with s^T W h.

    decoder_state: (d_s,)
    encoder_states: (T_enc, d_h)
    W: (d_s, d_h)
    """
    projected = W.T @ decoder_state
    scores = encoder_states @ projected
    weights = softmax(scores)
    context = weights @ encoder_states
    return context, weights
