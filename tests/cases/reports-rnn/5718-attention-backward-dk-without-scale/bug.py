import numpy as np


def split_heads(x, h):
    B, T, D = x.shape
    return x.reshape(B, T, h, D // h).transpose(0, 2, 1, 3)


def merge_heads(x):
    B, h, T, d = x.shape
    return x.transpose(0, 2, 1, 3).reshape(B, T, h * d)


def mha_forward(x, mem, p, h):
    q = split_heads(x @ p["Wq"], h)
    k = split_heads(mem @ p["Wk"], h)
    v = split_heads(mem @ p["Wv"], h)
    d = q.shape[-1]
    s = q @ k.swapaxes(-1, -2) / np.sqrt(d)
    a = np.exp(s - s.max(-1, keepdims=True))
    a /= a.sum(-1, keepdims=True)
    z = merge_heads(a @ v)
    return z @ p["Wo"], (x, mem, q, k, v, a, z)


def mha_backward(dy, cache, p, h):
    x, mem, q, k, v, a, z = cache
    d = q.shape[-1]
    flat = lambda t: t.reshape(-1, t.shape[-1])
    g = {"Wo": flat(z).T @ flat(dy)}

    dz = split_heads(dy @ p["Wo"].T, h)
    dv = a.swapaxes(-1, -2) @ dz
    da = dz @ v.swapaxes(-1, -2)
    ds = a * (da - (da * a).sum(-1, keepdims=True))
    dq = ds @ k / np.sqrt(d)
    dk = ds.swapaxes(-1, -2) @ q

    dq, dk, dv = merge_heads(dq), merge_heads(dk), merge_heads(dv)
    g["Wq"] = flat(x).T @ flat(dq)
    g["Wk"] = flat(mem).T @ flat(dk)
    g["Wv"] = flat(mem).T @ flat(dv)
    dx = dq @ p["Wq"].T
    dmem = dk @ p["Wk"].T + dv @ p["Wv"].T
    return dx, dmem, g
