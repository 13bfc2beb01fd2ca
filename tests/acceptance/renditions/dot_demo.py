import numpy as np


def dot_attention(decoder_state, encoder_states):
    scores = np.dot(encoder_states, decoder_state)
    exp_scores = np.exp(scores - scores.max())
    weights = exp_scores / exp_scores.sum()
    context = np.dot(weights, encoder_states)
    return context, weights


if __name__ == "__main__":
    d_hidden = 8
    T_enc = 8
    rng = np.random.default_rng(0)
    decoder_state = rng.standard_normal(d_hidden)
    encoder_states = rng.standard_normal((T_enc, d_hidden))
    context, weights = dot_attention(decoder_state, encoder_states)
    print(weights.round(3), context.round(3))
