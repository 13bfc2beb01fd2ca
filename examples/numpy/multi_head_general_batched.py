"""General attention (Luong et al., 2015) with several heads for a batch, one decoder step."""

import numpy as np


def multi_head_general_attention(decoder_state, encoder_states, W):
    """Attend with every head, and put the heads' contexts side by side.

    decoder_state  (B, d_s), d_s = n_heads * d_k
    encoder_states (B, T_enc, d_h), d_h = n_heads * d_v
    W              (n_heads, d_k, d_v)
    """
    n_heads, d_k, d_v = W.shape
    B, T_enc, d_h = encoder_states.shape
    queries = decoder_state.reshape(B, n_heads, 1, d_k) @ W  # (B, n_heads, 1, d_v)
    keys = encoder_states.reshape(B, T_enc, n_heads, d_v)  # (B, T_enc, n_heads, d_v)
    keys = keys.transpose(0, 2, 1, 3)  # (B, n_heads, T_enc, d_v)
    scores = queries @ keys.transpose(0, 1, 3, 2)  # (B, n_heads, 1, T_enc)
    scores = scores - scores.max(axis=-1, keepdims=True)
    weights = np.exp(scores) / np.exp(scores).sum(axis=-1, keepdims=True)
    context = weights @ keys  # (B, n_heads, 1, d_v)
    return context.reshape(B, d_h), weights[:, :, 0, :]


if __name__ == "__main__":
    B, n_heads, d_k, d_v, T_enc = 7, 2, 3, 4, 5
    d_s, d_h = n_heads * d_k, n_heads * d_v
    rng = np.random.default_rng(0)
    decoder_state = rng.standard_normal((B, d_s))
    encoder_states = rng.standard_normal((B, T_enc, d_h))
    W = rng.standard_normal((n_heads, d_k, d_v))
    context, weights = multi_head_general_attention(decoder_state, encoder_states, W)
    print("weights", weights.shape, "context", context.shape)
    print("first sequence, head by head:", weights[0].round(3).tolist())
