import numpy as np


def softmax(x, axis=-1):
    x = np.exp(x - x.max(axis=axis, keepdims=True))
    return x / x.sum(axis=axis, keepdims=True)


class MultiHeadAttention:
    def __init__(self, embed_dim, num_heads, rng):
        self.num_heads = num_heads
        self.head_dim = embed_dim // num_heads
        self.w_q, self.w_k, self.w_v, self.w_o = (rng.standard_normal((embed_dim, embed_dim)) * 0.1 for _ in range(4))

    def _heads(self, x):
        batch, seq, _ = x.shape
        return x.reshape(batch, seq, self.num_heads, self.head_dim).transpose(0, 2, 1, 3)

    def forward(self, query, memory, mask=None):
        """mask: 1 where a query may look at a key, (batch, seq_q, seq_k)"""
        q = self._heads(query @ self.w_q)
        k = self._heads(memory @ self.w_k)
        v = self._heads(memory @ self.w_v)

        scores = q @ k.swapaxes(-1, -2) / np.sqrt(self.head_dim)
        if mask is not None:
            batch, seq_len, _ = mask.shape
            mask = mask.reshape(batch, 1, seq_len, -1)
            scores = np.where(mask == 0, -1e9, scores)
        out = softmax(scores) @ v
        out = out.transpose(0, 2, 1, 3)
        return out.reshape(*out.shape[:2], -1) @ self.w_o


if __name__ == "__main__":
    rng = np.random.default_rng(0)
    mha = MultiHeadAttention(32, 4, rng)
    tgt, src = rng.standard_normal((2, 5, 32)), rng.standard_normal((2, 9, 32))
    allowed = np.ones((2, 5, 9))
    allowed[1, :, 6:] = 0
    print(mha.forward(tgt, src, allowed).shape)
