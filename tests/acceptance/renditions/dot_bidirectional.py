import numpy as np


def softmax(x):
    x = x - x.max()
    return np.exp(x) / np.exp(x).sum()


def dot_attention(decoder_state, encoder_states):
    """Luong's dot score, a softmax, and the weighted mean of the encoder states."""
    weights = softmax(encoder_states @ decoder_state)
    context = weights @ encoder_states
    return context, weights


if __name__ == "__main__":
    T_enc, d_hidden = 6, 4
    rng = np.random.default_rng(3)
    forward_states = rng.standard_normal((T_enc, d_hidden))
    backward_states = rng.standard_normal((T_enc, d_hidden))
    encoder_states = np.add(forward_states, backward_states)
    decoder_state = rng.standard_normal(d_hidden)
    context, weights = dot_attention(decoder_state, encoder_states)
    print(weights, context)
