"""Bahdanau attention for a batch of sentences."""

import numpy as np


def softmax(x, axis=-1):
    x = x - np.max(x, axis=axis, keepdims=True)
    e = np.exp(x)
    return e / np.sum(e, axis=axis, keepdims=True)


def additive_attention(decoder_state, encoder_states, W_a, U_a, v_a):
    """Attend over a batch.

    Args:
        decoder_state: previous decoder states, shape (B, d_s)
        encoder_states: encoder states, shape (B, T_enc, d_h)
        W_a: shape (d_attn, d_s)
        U_a: shape (d_attn, d_h)
        v_a: shape (d_attn,)

    Returns:
        context (B, d_h) and weights (B, T_enc)
    """
    projected_dec = decoder_state @ W_a.T
    projected_enc = encoder_states @ U_a.T
    scores = np.tanh(projected_enc + projected_dec[:, None, :]) @ v_a
    weights = softmax(scores, axis=1)
    context = np.einsum("bt,bth->bh", weights, encoder_states)
    return context, weights


if __name__ == "__main__":
    B, T_enc, d_h, d_s, d_attn = 2, 7, 5, 4, 3
    rng = np.random.default_rng(0)
    context, weights = additive_attention(
        rng.standard_normal((B, d_s)),
        rng.standard_normal((B, T_enc, d_h)),
        rng.standard_normal((d_attn, d_s)),
        rng.standard_normal((d_attn, d_h)),
        rng.standard_normal(d_attn),
    )
    print(context.shape, weights.sum(axis=1))
