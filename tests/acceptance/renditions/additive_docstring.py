"""Bahdanau attention, step by step."""

import numpy as np


def softmax(x):
    e = np.exp(x - np.max(x))
    return e / e.sum()


def additive_attention(decoder_state, encoder_states, W_a, U_a, v_a):
    """Compute the context vector for one decoder step.

    Parameters
    ----------
    decoder_state : np.ndarray, shape (d_s,)
        Previous decoder hidden state.
    encoder_states : np.ndarray, shape (T_enc, d_h)
        All encoder hidden states.
    W_a : np.ndarray, shape (d_attn, d_s)
    U_a : np.ndarray, shape (d_attn, d_h)
    v_a : np.ndarray, shape (d_attn,)

    Returns
    -------
    context : np.ndarray, shape (d_h,)
    weights : np.ndarray, shape (T_enc,)
    """
    projected_dec = W_a @ decoder_state
    projected_enc = encoder_states @ U_a.T
    energy = np.tanh(projected_enc + projected_dec)
    scores = energy @ v_a
    weights = softmax(scores)
    context = weights @ encoder_states
    return context, weights


if __name__ == "__main__":
    np.random.seed(0)
    d_s = d_h = d_attn = T_enc = 8
    decoder_state = np.random.randn(d_s)
    encoder_states = np.random.randn(T_enc, d_h)
    W_a = np.random.randn(d_attn, d_s)
    U_a = np.random.randn(d_attn, d_h)
    v_a = np.random.randn(d_attn)
    context, weights = additive_attention(decoder_state, encoder_states, W_a, U_a, v_a)
    print("context:", context)
    print("weights:", weights, "sum:", weights.sum())
