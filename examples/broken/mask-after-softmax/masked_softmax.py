"""General attention (Luong et al., 2015) over a batch of sequences of different lengths."""

import numpy as np


def softmax(x):
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def masked_general_attention(decoder_state, encoder_states, lengths, W):
    """General attention that ignores padding.

    Parameters
    ----------
    decoder_state : ndarray of shape (B, d_s)
    encoder_states : ndarray of shape (B, T_enc, d_h)
    lengths : ndarray of shape (B,)
    W : ndarray of shape (d_s, d_h)
    """
    keep = np.arange(encoder_states.shape[1]) < lengths[:, None]
    scores = np.einsum("bs,sh,bth->bt", decoder_state, W, encoder_states)
    weights = softmax(scores) * keep
    context = np.einsum("bt,bth->bh", weights, encoder_states)
    return context, weights


if __name__ == "__main__":
    B, T_enc, d_h, d_s = 3, 5, 6, 4
    rng = np.random.default_rng(0)
    lengths = np.array([5, 2, 4])
    decoder_state = rng.standard_normal((B, d_s))
    encoder_states = rng.standard_normal((B, T_enc, d_h))
    W = rng.standard_normal((d_s, d_h))
    context, weights = masked_general_attention(decoder_state, encoder_states, lengths, W)
    print("context", context.shape, "sums of the weights", weights.sum(axis=1).round(3))
