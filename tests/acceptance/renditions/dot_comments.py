"""Luong attention, dot score."""

import numpy as np


def dot_attention(
    decoder_state,  # (d_hidden,)
    encoder_states,  # (T_enc, d_hidden)
):
    scores = encoder_states @ decoder_state  # (T_enc,)
    weights = np.exp(scores) / np.exp(scores).sum()
    return weights @ encoder_states, weights
