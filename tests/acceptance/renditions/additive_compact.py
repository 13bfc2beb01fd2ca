import numpy as np


def softmax(z):
    return np.exp(z - z.max()) / np.exp(z - z.max()).sum()


def additive_attention(decoder_state, encoder_states, W_a, U_a, v_a):
    weights = softmax(np.tanh(encoder_states @ U_a.T + W_a @ decoder_state) @ v_a)
    return weights @ encoder_states, weights


rng = np.random.default_rng(42)
context, weights = additive_attention(
    rng.normal(size=8),
    rng.normal(size=(8, 8)),
    rng.normal(size=(8, 8)),
    rng.normal(size=(8, 8)),
    rng.normal(size=8),
)
print(context.shape, weights.sum())
