import numpy as np


class AttentionDecoder:
    """Tiny decoder with dot-product attention, numpy only."""

    def __init__(self, hidden, vocab, seed=0):
        rng = np.random.RandomState(seed)
        self.Wx = rng.randn(vocab, hidden) * 0.1
        self.Wh = rng.randn(hidden, hidden) * 0.1
        self.Wc = rng.randn(2 * hidden, vocab) * 0.1

    def attend(self, h, hs):
        score = hs @ h
        e = np.exp(score - score.max())
        a = e / e.sum()
        c = np.sum(a * hs, axis=0)
        return c, a

    def step(self, word_id, h, hs):
        h = np.tanh(self.Wx[word_id] + h @ self.Wh)
        c, a = self.attend(h, hs)
        logits = np.concatenate([c, h]) @ self.Wc
        return logits, h, a


if __name__ == "__main__":
    dec = AttentionDecoder(hidden=8, vocab=12)
    hs = np.random.randn(5, 8)
    h = hs[-1]
    for word in [1, 4, 2]:
        logits, h, a = dec.step(word, h, hs)
    print(logits.argmax(), a)
