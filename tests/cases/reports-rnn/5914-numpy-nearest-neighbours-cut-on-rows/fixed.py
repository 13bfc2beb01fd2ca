# local attention on a lidar sweep, numpy prototype
import numpy as np

rng = np.random.default_rng(3)

N, K, C = 400, 16, 32
xyz = rng.uniform(-10, 10, size=(N, 3))
feat = rng.normal(size=(N, C))

Wq, Wk, Wv = (rng.normal(size=(C, C)) / np.sqrt(C) for _ in range(3))
Wpos = rng.normal(size=(3, C)) * 0.1


def pairwise(a, b):
    return ((a[:, None, :] - b[None, :, :]) ** 2).sum(-1)


def neighbours(points, k):
    """indices of the k closest points of every point, without the point itself"""
    dist = pairwise(points, points)
    return np.argsort(dist, axis=1)[:, 1:k + 1]


idx = neighbours(xyz, K)
offset = xyz[:, None, :] - xyz[idx]
pos = offset @ Wpos

q = feat @ Wq
k = (feat @ Wk)[idx] + pos
v = (feat @ Wv)[idx] + pos

score = np.einsum('nc,nkc->nk', q, k) / np.sqrt(C)
w = np.exp(score - score.max(1, keepdims=True))
w = w / w.sum(1, keepdims=True)
out = np.einsum('nk,nkc->nc', w, v)
print(out.shape)
