"""Concat attention (the additive form of Luong et al., 2015) for one decoder step.

The score of encoder state h_i is v_a . tanh(W_a [s ; h_i]): one matrix for both states.
"""

import numpy as np


def softmax(x):
    e = np.exp(x - x.max())
    return e / e.sum()


def concat_attention(decoder_state, encoder_states, W_a, v_a):
    """Attend over the encoder states.

    Parameters
    ----------
    decoder_state : ndarray, shape (d_s,)
    encoder_states : ndarray, shape (T_enc, d_h)
    W_a : ndarray, shape (d_attn, d_s + d_h)
    v_a : ndarray, shape (d_attn,)

    Returns
    -------
    context : ndarray, shape (d_h,)
    weights : ndarray, shape (T_enc,)
    """
    T_enc = encoder_states.shape[0]
    repeated = np.repeat(decoder_state[None, :], T_enc, axis=0)
    pairs = np.concatenate([repeated, encoder_states], axis=1)
    scores = np.tanh(pairs @ W_a.T) @ v_a
    weights = softmax(scores)
    context = weights @ encoder_states
    return context, weights


if __name__ == "__main__":
    T_enc, d_h, d_s, d_attn = 5, 6, 4, 3
    rng = np.random.default_rng(0)
    decoder_state = rng.standard_normal(d_s)
    encoder_states = rng.standard_normal((T_enc, d_h))
    W_a = rng.standard_normal((d_attn, d_s + d_h))
    v_a = rng.standard_normal(d_attn)
    context, weights = concat_attention(decoder_state, encoder_states, W_a, v_a)
    print("weights", weights.round(3), "sum", weights.sum().round(6))
    print("context", context.round(3))
