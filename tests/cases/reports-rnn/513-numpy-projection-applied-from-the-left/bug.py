"""Bahdanau attention for one sentence, forward pass only (assignment 4, part b)"""
import numpy as np

rng = np.random.RandomState(3)


def tanh_score(H, s, params):
    """
    H : (T, 2n)  bidirectional annotations
    s : (n,)     previous decoder state
    """
    left = np.dot(params['U_a'], H)
    right = np.dot(params['W_a'], s)
    return np.dot(np.tanh(left + right), params['v_a'])


def softmax(z):
    z = np.exp(z - z.max())
    return z / z.sum()


def attend(H, s, params):
    e = tanh_score(H, s, params)
    a = softmax(e)
    return np.dot(a, H), a


n, n_align, T = 10, 7, 6
params = {
    'U_a': rng.randn(n_align, 2 * n) * 0.1,
    'W_a': rng.randn(n_align, n) * 0.1,
    'v_a': rng.randn(n_align) * 0.1,
}
H = rng.randn(T, 2 * n)
s = rng.randn(n)
c, a = attend(H, s, params)
print('context', c.shape, 'alignment', a.shape, a.sum())
