"""Forward pass of a small ViT encoder block in plain numpy (no training)."""
import numpy as np

rng = np.random.default_rng(1)


def softmax(x, axis=1):
    """x: (N, C) class scores"""
    x = x - x.max(axis=axis, keepdims=True)
    e = np.exp(x)
    return e / e.sum(axis=axis, keepdims=True)


def layer_norm(x, eps=1e-6):
    mu = x.mean(-1, keepdims=True)
    return (x - mu) / np.sqrt(x.var(-1, keepdims=True) + eps)


def init_block(dim, classes):
    W = lambda i, o: rng.standard_normal((i, o)) / np.sqrt(i)
    return {"qkv": W(dim, 3 * dim), "proj": W(dim, dim), "head": W(dim, classes)}


def msa(x, p, heads):
    B, T, D = x.shape
    qkv = (x @ p["qkv"]).reshape(B, T, 3, heads, D // heads)
    q, k, v = qkv.transpose(2, 0, 3, 1, 4)  # each (B, H, T, d)
    att = q @ k.transpose(0, 1, 3, 2) / np.sqrt(D // heads)
    att = softmax(att, axis=-1)
    out = (att @ v).transpose(0, 2, 1, 3).reshape(B, T, D)
    return out @ p["proj"]


def classify(tokens, p, heads=4):
    x = tokens + msa(layer_norm(tokens), p, heads)
    return softmax(layer_norm(x[:, 0]) @ p["head"])


if __name__ == "__main__":
    p = init_block(32, 10)
    tokens = rng.standard_normal((5, 17, 32))
    print(classify(tokens, p).sum(1))
