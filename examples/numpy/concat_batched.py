"""Concat attention (the additive form of Luong et al., 2015) for a batch, one decoder step."""

import numpy as np


def softmax(x):
    x = x - np.max(x, axis=1, keepdims=True)
    return np.exp(x) / np.sum(np.exp(x), axis=1, keepdims=True)


def concat_attention(decoder_state, encoder_states, W_a, v_a):
    B, T_enc, d_h = encoder_states.shape
    d_s = decoder_state.shape[1]
    repeated = np.broadcast_to(decoder_state[:, None, :], (B, T_enc, d_s))
    pairs = np.concatenate((repeated, encoder_states), axis=-1)  # (B, T_enc, d_s + d_h)
    hidden = np.tanh(pairs @ W_a.T)  # (B, T_enc, d_attn)
    scores = hidden @ v_a  # (B, T_enc)
    weights = softmax(scores)  # (B, T_enc)
    context = np.matmul(weights[:, None, :], encoder_states).squeeze(axis=1)  # (B, d_h)
    return context, weights


if __name__ == "__main__":
    B, T_enc, d_h, d_s, d_attn = 2, 5, 6, 4, 3
    rng = np.random.default_rng(0)
    context, weights = concat_attention(
        rng.standard_normal((B, d_s)),
        rng.standard_normal((B, T_enc, d_h)),
        rng.standard_normal((d_attn, d_s + d_h)),
        rng.standard_normal(d_attn),
    )
    print("weights", weights.shape, "sums", weights.sum(axis=1).round(6))
    print("context", context.shape)
