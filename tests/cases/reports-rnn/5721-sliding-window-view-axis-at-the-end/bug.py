import numpy as np
from numpy.lib.stride_tricks import sliding_window_view


def windows(x, w):
    """(T, d) -> (T, w, d): the last w positions of every token, zeros in front of the sequence"""
    t, d = x.shape
    padded = np.concatenate([np.zeros((w - 1, d), x.dtype), x], axis=0)
    return sliding_window_view(padded, w, axis=0).reshape(t, w, d)


def local_attention(x, params, window):
    q = x @ params["wq"]
    k = windows(x @ params["wk"], window)
    v = windows(x @ params["wv"], window)
    scores = np.einsum("td,twd->tw", q, k) / np.sqrt(q.shape[-1])

    offsets = np.arange(window) - (window - 1)
    outside = np.arange(len(x))[:, None] + offsets[None, :] < 0
    scores[outside] = -1e9

    weights = np.exp(scores - scores.max(axis=1, keepdims=True))
    weights /= weights.sum(axis=1, keepdims=True)
    return np.einsum("tw,twd->td", weights, v) @ params["wo"], weights


def init(d_model, d_head, rng):
    params = {name: rng.standard_normal((d_model, d_head)) / np.sqrt(d_model) for name in ("wq", "wk", "wv")}
    params["wo"] = rng.standard_normal((d_head, d_model)) / np.sqrt(d_head)
    return params


if __name__ == "__main__":
    rng = np.random.default_rng(7)
    x = rng.standard_normal((20, 32))
    y, weights = local_attention(x, init(32, 16, rng), window=4)
    print(y.shape, weights[0].round(3))
