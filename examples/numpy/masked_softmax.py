"""Masked softmax over a batch of sequences of different lengths, with general attention on top.

Positions at or after a sequence's length get a weight of exactly zero. Every length is at
least one: a softmax over nothing has no value.
"""

import numpy as np


def masked_softmax(scores, lengths):
    """Softmax over the real positions of each row.

    Parameters
    ----------
    scores : ndarray of shape (B, T_enc)
    lengths : integer ndarray of shape (B,)

    Returns
    -------
    weights : ndarray of shape (B, T_enc)
    """
    T_enc = scores.shape[1]
    keep = np.arange(T_enc)[None, :] < lengths[:, None]  # (B, T_enc)
    masked = np.where(keep, scores, -np.inf)
    e = np.exp(masked - masked.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


def masked_general_attention(decoder_state, encoder_states, lengths, W):
    """General attention that ignores padding.

    Parameters
    ----------
    decoder_state : ndarray of shape (B, d_s)
    encoder_states : ndarray of shape (B, T_enc, d_h)
    lengths : integer ndarray of shape (B,)
    W : ndarray of shape (d_s, d_h)

    Returns
    -------
    context : ndarray of shape (B, d_h)
    weights : ndarray of shape (B, T_enc)
    """
    scores = np.einsum("bs,sh,bth->bt", decoder_state, W, encoder_states)
    weights = masked_softmax(scores, lengths)
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
    for length, row in zip(lengths, weights, strict=True):
        print(f"length {length}: weights {row.round(3)}")
    print("context", context.shape)
