import numpy as np


def softmax(x):
    x = np.exp(x - x.max(axis=1, keepdims=True))
    return x / x.sum(axis=1, keepdims=True)


class WeightSum:
    """c = sum_t a_t h_t for time-major states hs (T, N, H) and weights a (N, T)."""

    def forward(self, hs, a):
        T, N, H = hs.shape
        ar = a.reshape(T, N, 1)
        return np.sum(hs * ar, axis=0)


def attend(hs, h):
    """hs (T, N, H), h (N, H)"""
    s = np.einsum('tnh,nh->nt', hs, h)
    a = softmax(s)
    return WeightSum().forward(hs, a), a
