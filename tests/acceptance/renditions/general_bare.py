import numpy as np


def general_attention(decoder_state, encoder_states, W):
    scores = encoder_states @ (W.T @ decoder_state)
    weights = np.exp(scores) / np.sum(np.exp(scores))
    context = weights @ encoder_states
    return context, weights
