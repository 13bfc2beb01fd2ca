import numpy as np


def softmax(x, axis=-1):
    x = x - np.max(x, axis=axis, keepdims=True)
    e = np.exp(x)
    return e / np.sum(e, axis=axis, keepdims=True)


class ScaledDotProductAttention:
    """softmax(Q K^T / sqrt(d_k)) V, with forward and backward pass."""

    def forward(self, Q, K, V, mask=None):
        d_k = Q.shape[-1]
        scores = np.matmul(Q, K.swapaxes(-1, -2)) / d_k
        if mask is not None:
            scores = np.where(mask, scores, -1e9)
        A = softmax(scores)
        self.cache = (Q, K, V, A)
        return np.matmul(A, V)

    def backward(self, dout):
        Q, K, V, A = self.cache
        dV = np.matmul(A.swapaxes(-1, -2), dout)
        dA = np.matmul(dout, V.swapaxes(-1, -2))
        dS = A * (dA - np.sum(dA * A, axis=-1, keepdims=True))
        dS /= np.sqrt(Q.shape[-1])
        dQ = np.matmul(dS, K)
        dK = np.matmul(dS.swapaxes(-1, -2), Q)
        return dQ, dK, dV


if __name__ == "__main__":
    rng = np.random.default_rng(0)
    batch, heads, seq, d_k = 2, 4, 10, 16
    Q, K, V = rng.standard_normal((3, batch, heads, seq, d_k))
    causal = np.tril(np.ones((seq, seq), dtype=bool))
    attn = ScaledDotProductAttention()
    out = attn.forward(Q, K, V, causal)
    dQ, dK, dV = attn.backward(np.ones_like(out))
    print(out.shape, dQ.shape, dK.shape, dV.shape)
