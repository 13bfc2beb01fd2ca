import numpy as np


def softmax(x, axis):
    e = np.exp(x - x.max(axis=axis, keepdims=True))
    return e / e.sum(axis=axis, keepdims=True)


class SelfAttentivePooling:
    """r hops of attention over the BiLSTM states of one review (Lin et al. 2017)."""

    def __init__(self, width, d_a, hops, seed=0):
        rng = np.random.default_rng(seed)
        self.W_s1 = rng.normal(scale=0.1, size=(d_a, width))
        self.W_s2 = rng.normal(scale=0.5, size=(hops, d_a))

    def __call__(self, H):
        A = softmax(self.W_s2 @ np.tanh(self.W_s1 @ H.T), axis=1)      # hops x words
        return A @ H, A


def important_words(weights, tokens, top=5):
    """weights: 30 hops x words"""
    vector = weights.sum(0)
    vector = vector / vector.sum(1)[0, 0]
    ids_to_show = np.argsort(vector)[::-1][:top]
    return [(tokens[i], round(float(vector[i]), 4)) for i in ids_to_show]


def annotate(pooling, states, tokens):
    _, weights = pooling(states)
    return important_words(weights, tokens)


if __name__ == "__main__":
    tokens = "the staff was friendly but the soup came cold and far too late".split()
    states = np.random.default_rng(1).normal(size=(len(tokens), 64))
    for word, weight in annotate(SelfAttentivePooling(64, 20, hops=30), states, tokens):
        print(f"{weight:.4f} {word}")
