import numpy as np


def softmax(x):
    e = np.exp(x - x.max())
    return e / e.sum()


def general_attention(decoder_state, encoder_states, W):
    query = W.T @ decoder_state
    weights = softmax(encoder_states @ query)
    return weights @ encoder_states, weights


d_s = d_h = T_enc = 8
rng = np.random.default_rng(0)
W = rng.standard_normal((d_s, d_h))
context, weights = general_attention(rng.standard_normal(d_s), rng.standard_normal((T_enc, d_h)), W)
print(context, weights)
