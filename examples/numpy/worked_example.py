"""Dot-product attention over three encoder states, small enough for pencil and paper.

The decoder state is s = (1, 0.4). Its dot products with the encoder states are

    h_1 = (0.5,  0.5)    1 * 0.5 + 0.4 *  0.5 = 0.70
    h_2 = (0.2,  0.2)    1 * 0.2 + 0.4 *  0.2 = 0.28
    h_3 = (0.4, -1.0)    1 * 0.4 + 0.4 * -1.0 = 0.00

and their exponentials 2.014, 1.323 and 1.000 add up to 4.337, so that softmax gives
2.014 / 4.337 = 0.464, 1.323 / 4.337 = 0.305 and 1.000 / 4.337 = 0.231. The context is
0.464 h_1 + 0.305 h_2 + 0.231 h_3 = (0.385, 0.063).
"""

import numpy as np


def dot_attention(decoder_state, encoder_states):
    """decoder_state (d_h,), encoder_states (T_enc, d_h) -> context (d_h,), weights (T_enc,)."""
    if decoder_state.shape[0] != encoder_states.shape[1]:
        raise ValueError("the dot score wants states of one size")
    scores = encoder_states @ decoder_state
    weights = np.exp(scores) / np.exp(scores).sum()
    context = weights @ encoder_states
    return context, weights


def example():
    """The decoder state and the encoder states of the text above."""
    decoder_state = np.array([1.0, 0.4])
    encoder_states = np.array([[0.5, 0.5], [0.2, 0.2], [0.4, -1.0]])
    return decoder_state, encoder_states


if __name__ == "__main__":
    decoder_state, encoder_states = example()
    context, weights = dot_attention(decoder_state, encoder_states)
    print("weights", weights.round(3))
    print("context", context.round(3))
