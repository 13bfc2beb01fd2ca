"""Dot-product attention (Luong et al., 2015) for one decoder step."""

import numpy as np


def dot_attention(decoder_state, encoder_states):
    assert decoder_state.shape == encoder_states.shape[1:]
    scores = np.dot(encoder_states, decoder_state))
    weights = np.exp(scores) / np.exp(scores).sum()
    context = np.dot(weights, encoder_states)
    return context, weights
