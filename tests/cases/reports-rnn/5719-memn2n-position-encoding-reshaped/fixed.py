import numpy as np


def position_encoding(sentence_size, embedding_size):
    """l_kj of "End-To-End Memory Networks", section 4.1; one row per word position."""
    encoding = np.ones((embedding_size, sentence_size), dtype=np.float32)
    for k in range(1, embedding_size + 1):
        for j in range(1, sentence_size + 1):
            a = 1 - j / sentence_size
            b = (k / embedding_size) * (1 - 2 * j / sentence_size)
            encoding[k - 1, j - 1] = a - b
    return encoding.T


def softmax(x):
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


class MemN2N:
    def __init__(self, vocab, dim, sentence_size, n_slots, hops=3, seed=0):
        rs = np.random.RandomState(seed)
        self.A = rs.normal(0, 0.1, (vocab, dim)); self.A[0] = 0
        self.C = [rs.normal(0, 0.1, (vocab, dim)) for _ in range(hops)]
        self.T = [rs.normal(0, 0.1, (n_slots, dim)) for _ in range(hops + 1)]
        for c in self.C:
            c[0] = 0
        self.pe = position_encoding(sentence_size, dim)

    def predict(self, stories, queries):
        """stories (batch, n_slots, sentence_size), queries (batch, sentence_size): word ids"""
        u = (self.A[queries] * self.pe).sum(axis=1)
        table, time = self.A, self.T[0]
        for hop, C in enumerate(self.C):
            m = (table[stories] * self.pe).sum(axis=2) + time
            c = (C[stories] * self.pe).sum(axis=2) + self.T[hop + 1]
            p = softmax((m * u[:, None, :]).sum(axis=2))
            u = u + (p[:, :, None] * c).sum(axis=1)
            table, time = C, self.T[hop + 1]
        return softmax(u @ self.C[-1].T)
