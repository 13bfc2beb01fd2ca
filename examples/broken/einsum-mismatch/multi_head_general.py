"""General attention (Luong et al., 2015) with several heads, one decoder step."""

import numpy as np


def softmax(x):
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def multi_head_general_attention(decoder_state, encoder_states, W):
    n_heads, d_k, d_v = W.shape
    T_enc, d_h = encoder_states.shape
    queries = decoder_state.reshape(n_heads, d_k)
    keys = encoder_states.reshape(T_enc, n_heads, d_v)
    scores = np.einsum("nk,nvk,tnv->nt", queries, W, keys)
    weights = softmax(scores)
    context = np.einsum("nt,tnv->nv", weights, keys).reshape(d_h)
    return context, weights


if __name__ == "__main__":
    n_heads, d_k, d_v, T_enc = 2, 3, 4, 5
    d_s, d_h = n_heads * d_k, n_heads * d_v
    rng = np.random.default_rng(0)
    decoder_state = rng.standard_normal(d_s)
    encoder_states = rng.standard_normal((T_enc, d_h))
    W = rng.standard_normal((n_heads, d_k, d_v))
    context, weights = multi_head_general_attention(decoder_state, encoder_states, W)
    print("weights", weights.round(3))
