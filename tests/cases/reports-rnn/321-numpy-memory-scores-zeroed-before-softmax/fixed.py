import numpy as np


def softmax(x):
    x = np.exp(x - x.max(-1, keepdims=True))
    return x / x.sum(-1, keepdims=True)


class MemN2N:
    """End-to-end memory network, adjacent weight tying. 0 is the padding word."""

    def __init__(self, vocab, dim, hops=3, seed=0):
        rng = np.random.default_rng(seed)
        self.E = rng.normal(0, 0.4, size=(hops + 1, vocab, dim))
        self.E[:, 0] = 0
        self.hops = hops

    def answer(self, stories, questions):
        # stories (batch, slots, words), questions (batch, words)
        used = (stories != 0).any(-1).astype(float)     # short stories leave empty slots at the end
        u = self.E[0][questions].sum(1)
        attention = []
        for k in range(self.hops):
            m = self.E[k][stories].sum(2)
            c = self.E[k + 1][stories].sum(2)
            scores = np.einsum('bsd,bd->bs', m, u)
            p = softmax(np.where(used > 0, scores, -1e9))
            u = u + np.einsum('bs,bsd->bd', p, c)
            attention.append(p)
        return softmax(u @ self.E[-1].T), attention


if __name__ == '__main__':
    rng = np.random.default_rng(1)
    stories = rng.integers(1, 40, size=(4, 10, 6))
    stories[1, 3:] = 0
    stories[2, 7:] = 0
    answers, attention = MemN2N(40, 20).answer(stories, rng.integers(1, 40, size=(4, 5)))
    print(answers.shape, attention[0][1].round(2))
