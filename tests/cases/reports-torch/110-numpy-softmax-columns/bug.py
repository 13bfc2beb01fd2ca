import numpy as np


def softmax(x):
    e = np.exp(x - np.max(x, axis=0, keepdims=True))
    return e / np.sum(e, axis=0, keepdims=True)


def self_attention(X, W_q, W_k, W_v):
    """X: (seq_len, d_model) -> (seq_len, d_v)"""
    Q = X @ W_q
    K = X @ W_k
    V = X @ W_v
    d_k = Q.shape[-1]
    scores = Q @ K.T / np.sqrt(d_k)
    attn = softmax(scores)
    return attn @ V, attn


def multi_head(X, heads, W_o):
    outs = [self_attention(X, *h)[0] for h in heads]
    return np.concatenate(outs, axis=-1) @ W_o


if __name__ == "__main__":
    rng = np.random.default_rng(0)
    seq_len, d_model, d_k, d_v, n = 6, 16, 4, 5, 2
    X = rng.normal(size=(seq_len, d_model))
    heads = [(rng.normal(size=(d_model, d_k)), rng.normal(size=(d_model, d_k)), rng.normal(size=(d_model, d_v))) for _ in range(n)]
    print(multi_head(X, heads, rng.normal(size=(n * d_v, d_model))).shape)
