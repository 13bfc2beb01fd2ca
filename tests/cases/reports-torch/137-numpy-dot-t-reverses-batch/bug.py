import numpy as np


def softmax(x, axis=-1):
    x = x - x.max(axis=axis, keepdims=True)
    e = np.exp(x)
    return e / e.sum(axis=axis, keepdims=True)


def scaled_dot_product_attention(Q, K, V, mask=None):
    """
    Q: (batch, n_q, d_k)
    K: (batch, n_k, d_k)
    V: (batch, n_k, d_v)
    """
    d_k = Q.shape[-1]
    scores = np.matmul(Q, K.T) / np.sqrt(d_k)
    if mask is not None:
        scores = np.where(mask, scores, -1e9)
    weights = softmax(scores)
    return np.matmul(weights, V), weights


batch, n_q, n_k, d_k, d_v = 2, 3, 5, 4, 6


def test():
    Q = np.random.rand(batch, n_q, d_k)
    K = np.random.rand(batch, n_k, d_k)
    V = np.random.rand(batch, n_k, d_v)
    out, w = scaled_dot_product_attention(Q, K, V)
    print(out.shape, w.shape)
