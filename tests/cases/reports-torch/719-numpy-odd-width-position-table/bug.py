import numpy as np


def positional_encoding(max_len, d_model):
    position = np.arange(max_len)[:, None]
    div_term = np.exp(np.arange(0, d_model, 2) * (-np.log(10000.0) / d_model))
    pe = np.zeros((max_len, d_model))
    pe[:, 0::2] = np.sin(position * div_term)
    pe[:, 1::2] = np.cos(position * div_term)
    return pe


def softmax(x):
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


class SequenceScorer:
    """Single-head attention over the embedded bases of an aptamer."""

    def __init__(self, alphabet, d_model, max_len=64, seed=0):
        rng = np.random.default_rng(seed)
        self.embedding = rng.normal(scale=0.1, size=(len(alphabet), d_model))
        self.index = {letter: i for i, letter in enumerate(alphabet)}
        self.w_q, self.w_k, self.w_v = (rng.normal(scale=d_model ** -0.5, size=(d_model, d_model)) for _ in range(3))
        self.w_out = rng.normal(size=d_model)
        self.pe = positional_encoding(max_len, d_model)

    def __call__(self, sequence):
        ids = np.array([self.index[s] for s in sequence])
        x = self.embedding[ids] + self.pe[:len(ids)]
        q, k, v = x @ self.w_q, x @ self.w_k, x @ self.w_v
        weights = softmax(q @ k.T / np.sqrt(q.shape[-1]))
        pooled = (weights @ v).mean(axis=0)
        return 1 / (1 + np.exp(-pooled @ self.w_out)), weights


if __name__ == "__main__":
    scorer = SequenceScorer("ACGU", d_model=27)
    score, weights = scorer("GGAUCCAU")
    print(round(float(score), 3), weights.shape)
