import numpy as np


def energies(s_prev, a, W1, b1, W2):
    """
    s_prev -- previous hidden state of the decoder, shape (n_s,)
    a -- hidden states of the Bi-LSTM, shape (Tx, 2*n_a)
    """
    Tx = a.shape[0]
    s_rep = np.repeat(s_prev[np.newaxis, :], Tx, axis=0)
    concat = np.concatenate([a, s_rep], axis=-1)
    e = np.tanh(concat @ W1 + b1)
    return np.maximum(e @ W2, 0)


def one_step_attention(s_prev, a, W1, b1, W2):
    e = energies(s_prev, a, W1, b1, W2)
    alphas = np.exp(e) / np.sum(np.exp(e), axis=0)
    return np.sum(alphas * a, axis=0)


if __name__ == "__main__":
    Tx, n_a, n_s = 10, 8, 12
    r = np.random.default_rng(1)
    print(one_step_attention(r.normal(size=n_s), r.normal(size=(Tx, 2 * n_a)), r.normal(size=(2 * n_a + n_s, 10)), np.zeros(10), r.normal(size=(10, 1))).shape)
