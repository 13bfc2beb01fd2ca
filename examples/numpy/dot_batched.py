"""Dot-product attention (Luong et al., 2015) for a batch, one decoder step."""

import numpy as np


def softmax(x):
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def dot_attention(decoder_state, encoder_states):
    batch_size, T_enc, d_h = encoder_states.shape
    if decoder_state.shape != (batch_size, d_h):
        raise ValueError(f"decoder states of shape {(batch_size, d_h)} wanted")
    scores = (encoder_states @ decoder_state[:, :, None])[:, :, 0]  # (B, T_enc)
    weights = softmax(scores)  # (B, T_enc)
    context = (weights[:, :, None] * encoder_states).sum(axis=1)  # (B, d_h)
    return context, weights


if __name__ == "__main__":
    batch_size, T_enc, d_h = 2, 5, 6
    rng = np.random.default_rng(0)
    decoder_state = rng.standard_normal((batch_size, d_h))
    encoder_states = rng.standard_normal((batch_size, T_enc, d_h))
    context, weights = dot_attention(decoder_state, encoder_states)
    print("weights", weights.shape, "sums", weights.sum(axis=1).round(6))
    print("context", context.shape)
