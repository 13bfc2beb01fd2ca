import numpy as np


def naive_attention(Q, K, V):
    S = Q @ K.T / np.sqrt(Q.shape[1])
    P = np.exp(S - S.max(axis=1, keepdims=True))
    return P / P.sum(axis=1, keepdims=True) @ V


def flash_attention(Q, K, V, block=4):
    """Tiled attention with a running maximum and a running denominator for every query."""
    N, d = Q.shape
    out = np.zeros((N, V.shape[1]))
    for i in range(0, N, block):
        Qi = Q[i:i + block]
        m = np.full(len(Qi), -np.inf)
        l = np.zeros(len(Qi))
        acc = np.zeros((len(Qi), V.shape[1]))
        for j in range(0, len(K), block):
            Kj, Vj = K[j:j + block], V[j:j + block]
            S = Qi @ Kj.T / np.sqrt(d)
            m_new = np.maximum(m, S.max(axis=1))
            P = np.exp(S - m_new[:, None])
            alpha = np.exp(m - m_new)
            l = alpha * l + P.sum(axis=0)
            acc = alpha[:, None] * acc + P @ Vj
            m = m_new
        out[i:i + block] = acc / l[:, None]
    return out


if __name__ == "__main__":
    rng = np.random.default_rng(0)
    Q, K, V = rng.normal(size=(3, 16, 8))
    print(flash_attention(Q, K, V).shape)
    print(np.abs(flash_attention(Q, K, V) - naive_attention(Q, K, V)).max())
