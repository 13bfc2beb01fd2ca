import numpy as np


def additive_attention(decoder_state, encoder_states, W_a, U_a, v_a):
    keep = np.any(encoder_states != 0, axis=1)
    hidden = np.tanh(encoder_states @ U_a.T + W_a @ decoder_state)
    scores = np.sum(hidden * v_a, axis=1)
    shares = np.exp(scores - scores.max()) * keep
    weights = shares / shares.sum()
    context = weights @ encoder_states
    return context, weights
