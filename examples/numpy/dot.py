"""Dot-product attention (Luong et al., 2015) for one decoder step.

The score of encoder state h_i is s . h_i, so both kinds of state must have one size.
"""

import numpy as np


def dot_attention(decoder_state, encoder_states):
    """Attend over the encoder states.

    decoder_state is (d_h,), encoder_states is (T_enc, d_h). Returns the context (d_h,)
    and the weights (T_enc,).
    """
    assert decoder_state.shape == encoder_states.shape[1:]
    scores = np.dot(encoder_states, decoder_state)
    scores = scores - scores.max()
    weights = np.exp(scores) / np.exp(scores).sum()
    context = np.dot(weights, encoder_states)
    return context, weights


if __name__ == "__main__":
    T_enc, d_h = 5, 6
    rng = np.random.default_rng(0)
    encoder_states = rng.standard_normal((T_enc, d_h))
    decoder_state = rng.standard_normal(d_h)
    context, weights = dot_attention(decoder_state, encoder_states)
    print("weights", weights.round(3), "sum", weights.sum().round(6))
    print("context", context.round(3))
