import numpy as np


def squared_distances(xyz):
    sq = (xyz ** 2).sum(axis=-1)
    return sq[:, None] + sq[None, :] - 2 * xyz @ xyz.T


class DistanceBiasedAttention:
    """Self attention over the atoms of one molecule, logits lowered with the distance."""

    def __init__(self, width, rng, gamma=0.5):
        self.gamma = gamma
        self.Wq, self.Wk, self.Wv = rng.normal(size=(3, width, width)) / np.sqrt(width)

    def weights(self, h, xyz):
        logits = (h @ self.Wq) @ (h @ self.Wk).T / np.sqrt(h.shape[1])
        logits = logits - self.gamma * squared_distances(xyz)
        w = np.exp(logits - logits.max(axis=1, keepdims=True))
        return w / w.sum(axis=1, keepdims=True)

    def __call__(self, h, xyz):
        return h + self.weights(h, xyz) @ (h @ self.Wv)


if __name__ == "__main__":
    rng = np.random.default_rng(5)
    atoms = rng.normal(size=(23, 32))
    positions = rng.normal(size=(23, 3)) * 2
    layer = DistanceBiasedAttention(32, rng)
    print(layer(atoms, positions).shape)
    print(layer.weights(atoms, positions).argmax(axis=1))
