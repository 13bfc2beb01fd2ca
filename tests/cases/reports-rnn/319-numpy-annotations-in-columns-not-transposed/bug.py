"""Attention by hand for one sentence, column convention (every x<t> is a column)."""
import numpy as np


def softmax(z):
    e = np.exp(z - np.max(z))
    return e / e.sum()


def rnn_forward(X, Wax, Waa, ba):
    """X: (n_x, T_x) -> A: (n_a, T_x)"""
    n_a, T_x = Waa.shape[0], X.shape[1]
    A = np.zeros((n_a, T_x))
    a = np.zeros((n_a, 1))
    for t in range(T_x):
        a = np.tanh(Wax @ X[:, t:t + 1] + Waa @ a + ba)
        A[:, t] = a[:, 0]
    return A


def one_step_attention(A, s_prev, W1, W2, v):
    """s_prev: (n_s, 1). Returns the context and the alphas."""
    energies = v @ np.tanh(W1 @ A + W2 @ s_prev)     # s_prev is added to every column
    alphas = softmax(energies)                       # (T_x,)
    context = alphas @ A
    return context, alphas


np.random.seed(1)
n_x, n_a, n_s, n_att, T_x = 37, 32, 64, 10, 30
A = rnn_forward(np.random.randn(n_x, T_x), np.random.randn(n_a, n_x) * .1, np.random.randn(n_a, n_a) * .1, np.zeros((n_a, 1)))
context, alphas = one_step_attention(A, np.zeros((n_s, 1)), np.random.randn(n_att, n_a), np.random.randn(n_att, n_s), np.random.randn(n_att))
print(context.shape, alphas.sum())
