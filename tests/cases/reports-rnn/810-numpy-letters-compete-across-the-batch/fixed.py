import numpy as np


def sigmoid(x):
    return 1.0 / (1.0 + np.exp(-x))


def softmax(x, axis):
    e = np.exp(x - x.max(axis=axis, keepdims=True))
    return e / e.sum(axis=axis, keepdims=True)


class GRUCell:
    def __init__(self, n_in, n_hidden, rng):
        self.W = rng.normal(0, 0.1, (3, n_in, n_hidden))
        self.U = rng.normal(0, 0.1, (3, n_hidden, n_hidden))

    def __call__(self, x, h):
        z = sigmoid(x @ self.W[0] + h @ self.U[0])
        r = sigmoid(x @ self.W[1] + h @ self.U[1])
        n = np.tanh(x @ self.W[2] + (r * h) @ self.U[2])
        return z * h + (1 - z) * n


class LetterSeq2Seq:
    """Encoder-decoder over letters, everything time-major: (letters, batch, features)."""

    def __init__(self, n_letters, n_hidden, seed=0):
        rng = np.random.default_rng(seed)
        self.embed = rng.normal(0, 1.0, (n_letters, n_hidden))
        self.enc = GRUCell(n_hidden, n_hidden, rng)
        self.dec = GRUCell(2 * n_hidden, n_hidden, rng)
        self.out = rng.normal(0, 0.1, (n_hidden, n_letters))

    def encode(self, letters):
        h = np.zeros((letters.shape[1], self.embed.shape[1]))
        states = []
        for x in self.embed[letters]:
            h = self.enc(x, h)
            states.append(h)
        return np.stack(states), h

    def attend(self, h, states):
        energies = (states * h).sum(axis=2)          # (letters, batch)
        alpha = softmax(energies, axis=0)
        return (alpha[:, :, None] * states).sum(axis=0), alpha

    def decode(self, letters, target):
        states, h = self.encode(letters)
        logits, alphas = [], []
        for x in self.embed[target]:
            context, alpha = self.attend(h, states)
            h = self.dec(np.concatenate([x, context], axis=1), h)
            logits.append(h @ self.out)
            alphas.append(alpha)
        return np.stack(logits), np.stack(alphas)
