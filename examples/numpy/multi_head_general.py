"""General attention (Luong et al., 2015) with several heads, one decoder step.

Both states are cut into n_heads equal parts, and each head scores its own pair of parts with
its own matrix. With one head it is general attention.
"""

import numpy as np


def softmax(x):
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def multi_head_general_attention(decoder_state, encoder_states, W):
    """Attend with every head, and put the heads' contexts side by side.

    Args:
        decoder_state: (d_s,) with d_s = n_heads * d_k
        encoder_states: (T_enc, d_h) with d_h = n_heads * d_v
        W: (n_heads, d_k, d_v)

    Returns:
        context (d_h,) and weights (n_heads, T_enc)
    """
    n_heads, d_k, d_v = W.shape
    T_enc, d_h = encoder_states.shape
    queries = decoder_state.reshape(n_heads, d_k)
    keys = encoder_states.reshape(T_enc, n_heads, d_v)
    scores = np.einsum("nk,nkv,tnv->nt", queries, W, keys)
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
    for head, row in enumerate(weights):
        print(f"head {head}: weights {row.round(3)}")
    print("context", context.round(3))
