"""General attention (Luong et al., 2015) for a batch, all decoder steps at once."""

import numpy as np


def softmax(x, axis):
    e = np.exp(x - x.max(axis=axis, keepdims=True))
    return e / e.sum(axis=axis, keepdims=True)


def general_attention(decoder_states, encoder_states, W):
    """Attend over the encoder states at every decoder step.

    decoder_states: (B, T_dec, d_s)
    encoder_states: (B, T_enc, d_h)
    W: (d_s, d_h)

    returns: context (B, T_dec, d_h), weights (B, T_dec, T_enc)
    """
    query = decoder_states @ W
    scores = query @ encoder_states.transpose(0, 2, 1)
    weights = softmax(scores, axis=2)
    context = weights @ encoder_states
    return context, weights


if __name__ == "__main__":
    B, T_dec, T_enc, d_h, d_s = 2, 3, 5, 6, 4
    rng = np.random.default_rng(0)
    decoder_states = rng.standard_normal((B, T_dec, d_s))
    encoder_states = rng.standard_normal((B, T_enc, d_h))
    W = rng.standard_normal((d_s, d_h))
    context, weights = general_attention(decoder_states, encoder_states, W)
    print("weights", weights.shape, "sums", weights.sum(axis=-1).round(6).tolist())
    print("context", context.shape)
