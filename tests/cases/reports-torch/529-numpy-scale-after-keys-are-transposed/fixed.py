import numpy as np


def project(x, w, heads):
    n, t, _ = x.shape
    y = x @ w
    return y.reshape(n, t, heads, -1).transpose(0, 2, 1, 3)


def multi_head(x, wq, wk, wv, wo, heads, causal=True):
    q = project(x, wq, heads)
    k = project(x, wk, heads)
    v = project(x, wv, heads)

    k = k.transpose(0, 1, 3, 2)
    d_k = q.shape[-1]
    att = q @ k / np.sqrt(d_k)
    if causal:
        t = att.shape[-1]
        att = att + np.triu(np.full((t, t), -1e9), 1)
    att = np.exp(att - att.max(-1, keepdims=True))
    att /= att.sum(-1, keepdims=True)

    y = (att @ v).transpose(0, 2, 1, 3)
    return y.reshape(*x.shape[:2], -1) @ wo


if __name__ == "__main__":
    rs = np.random.RandomState(1)
    dim, heads = 64, 4
    wq, wk, wv, wo = [rs.randn(dim, dim) * dim ** -0.5 for _ in range(4)]
    print(multi_head(rs.randn(2, 100, dim), wq, wk, wv, wo, heads).shape)
