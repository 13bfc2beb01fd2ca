import numpy as np

np.random.seed(1)


def padding_mask(seq, pad=0):
    return seq == pad


def softmax(z):
    z = z - z.max(-1, keepdims=True)
    ez = np.exp(z)
    return ez / ez.sum(-1, keepdims=True)


class Attention:
    def __init__(self, input_dim, proj_dim):
        s = np.sqrt(1.0 / input_dim)
        self.w_q = np.random.uniform(-s, s, (input_dim, proj_dim))
        self.w_k = np.random.uniform(-s, s, (input_dim, proj_dim))
        self.w_v = np.random.uniform(-s, s, (input_dim, proj_dim))
        self.scale = proj_dim ** 0.5

    def forward(self, x, mask=None):
        q, k, v = x @ self.w_q, x @ self.w_k, x @ self.w_v
        logits = np.einsum("bid,bjd->bij", q, k) / self.scale
        if mask is not None:
            logits = np.where(mask, -1e9, logits)
        self.weights = softmax(logits)
        return self.weights @ v


tokens = np.array([[4, 2, 7, 9, 1, 0],
                   [3, 3, 8, 0, 0, 0],
                   [6, 5, 1, 2, 0, 0],
                   [2, 9, 0, 0, 0, 0]])

if __name__ == "__main__":
    embedding_table = np.random.randn(10, 16)
    attn = Attention(16, 8)
    out = attn.forward(embedding_table[tokens], padding_mask(tokens))
    print(out.shape, attn.weights[1].round(2))
