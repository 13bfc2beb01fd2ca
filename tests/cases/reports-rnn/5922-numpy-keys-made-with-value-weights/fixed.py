import numpy as np
from dataclasses import dataclass


@dataclass
class CrossParams:
    W_q: np.ndarray  # (d_atom, d_k)
    W_k: np.ndarray  # (d_res, d_k)
    W_v: np.ndarray  # (d_res, d_v)
    w_out: np.ndarray  # (d_v,)


def init(d_atom, d_res, d_k, d_v, seed=0):
    rng = np.random.default_rng(seed)
    mat = lambda i, o: rng.normal(0, 1 / np.sqrt(i), (i, o))
    return CrossParams(mat(d_atom, d_k), mat(d_res, d_k), mat(d_res, d_v), rng.normal(size=d_v))


def affinity(p: CrossParams, atoms: np.ndarray, residues: np.ndarray):
    """Atoms of the ligand ask the residues of the pocket; returns the score and the attention map."""
    Q = atoms @ p.W_q
    K = residues @ p.W_k
    V = residues @ p.W_v
    S = Q @ K.T / np.sqrt(Q.shape[-1])
    S = S - S.max(axis=-1, keepdims=True)
    A = np.exp(S)
    A /= A.sum(axis=-1, keepdims=True)
    return float((A @ V).mean(axis=0) @ p.w_out), A


if __name__ == "__main__":
    params = init(d_atom=40, d_res=64, d_k=16, d_v=32)
    rng = np.random.default_rng(1)
    score, attention = affinity(params, rng.normal(size=(21, 40)), rng.normal(size=(55, 64)))
    print(score, attention.shape)
