import numpy as np

PAD = 0


def softmax(z, axis=-1):
    z = z - np.max(z, axis=axis, keepdims=True)
    ez = np.exp(z)
    return ez / np.sum(ez, axis=axis, keepdims=True)


class CrossAttention:
    def __init__(self, d_model, d_k, seed=0):
        rng = np.random.RandomState(seed)
        self.W_q = rng.randn(d_model, d_k) * d_model ** -0.5
        self.W_k = rng.randn(d_model, d_k) * d_model ** -0.5
        self.W_v = rng.randn(d_model, d_model) * d_model ** -0.5
        self.d_k = d_k

    def forward(self, dec, enc, enc_tokens):
        q = np.matmul(dec, self.W_q)
        k = np.matmul(enc, self.W_k)
        v = np.matmul(enc, self.W_v)

        scores = np.matmul(q, k.transpose(0, 2, 1)) / np.sqrt(self.d_k)
        pad = enc_tokens == PAD
        scores[pad] = -1e9
        weights = softmax(scores)
        return np.matmul(weights, v), weights


class Embedding:
    def __init__(self, vocab, d_model, seed=1):
        self.table = np.random.RandomState(seed).randn(vocab, d_model)

    def __call__(self, tokens):
        return self.table[tokens]


if __name__ == '__main__':
    embed = Embedding(20, 12)
    src = np.array([[4, 8, 15, 16, 0], [3, 7, 0, 0, 0]])
    trg = np.array([[1, 5, 9], [1, 6, 2]])
    out, weights = CrossAttention(12, 8).forward(embed(trg), embed(src), src)
    print(out.shape)
    print(weights[1].round(2))
