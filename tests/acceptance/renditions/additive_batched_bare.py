import numpy as np


def additive_attention(decoder_state, encoder_states, W_a, U_a, v_a):
    projected_dec = decoder_state @ W_a.T
    projected_enc = encoder_states @ U_a.T
    scores = np.tanh(projected_enc + projected_dec[:, None, :]) @ v_a
    exp_scores = np.exp(scores - scores.max(axis=1, keepdims=True))
    weights = exp_scores / exp_scores.sum(axis=1, keepdims=True)
    context = (weights[:, :, None] * encoder_states).sum(axis=1)
    return context, weights
