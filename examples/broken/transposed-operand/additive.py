"""Additive attention (Bahdanau et al., 2015) for one decoder step."""

import numpy as np


def softmax(x):
    e = np.exp(x - x.max())
    return e / e.sum()


def additive_attention(decoder_state, encoder_states, W_a, U_a, v_a):
    projected_dec = W_a @ decoder_state
    projected_enc = encoder_states @ U_a
    scores = np.tanh(projected_enc + projected_dec) @ v_a
    weights = softmax(scores)
    context = weights @ encoder_states
    return context, weights
