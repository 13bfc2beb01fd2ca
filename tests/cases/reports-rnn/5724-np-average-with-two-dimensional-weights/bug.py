import numpy as np


def gru(x, Wz, Wr, Wh):
    """x (B, T, D) -> states (B, T, H)"""
    B, T, _ = x.shape
    h = np.zeros((B, Wz.shape[1]))
    states = []
    for t in range(T):
        xh = np.concatenate([x[:, t], h], axis=1)
        z = 1 / (1 + np.exp(-xh @ Wz))
        r = 1 / (1 + np.exp(-xh @ Wr))
        cand = np.tanh(np.concatenate([x[:, t], r * h], axis=1) @ Wh)
        h = (1 - z) * h + z * cand
        states.append(h)
    return np.stack(states, axis=1)


def attentive_pool(states, W, u, lengths):
    scores = np.tanh(states @ W) @ u
    valid = np.arange(states.shape[1])[None, :] < lengths[:, None]
    weights = np.where(valid, np.exp(scores), 0.0)
    return np.average(states, axis=1, weights=weights)


rng = np.random.default_rng(3)
D, H, K, n_classes = 12, 20, 16, 4
Wz, Wr, Wh = (rng.normal(0, 0.2, (D + H, H)) for _ in range(3))
W, u = rng.normal(0, 0.2, (H, K)), rng.normal(0, 0.2, K)
W_out = rng.normal(0, 0.2, (H, n_classes))


def classify(x, lengths):
    states = gru(x, Wz, Wr, Wh)
    pooled = attentive_pool(states, W, u, lengths)
    return (pooled @ W_out).argmax(axis=1)


if __name__ == "__main__":
    batch = rng.normal(size=(6, 9, D))
    print(classify(batch, np.array([9, 4, 6, 9, 2, 7])))
