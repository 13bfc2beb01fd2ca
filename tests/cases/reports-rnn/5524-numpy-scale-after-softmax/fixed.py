import numpy as np


class DotAttention:
    """
    Scaled dot product attention of a decoder state over a source sentence,
    with the backward pass.
    """

    def __init__(self, d_s, d_h, d_k, seed=0):
        r = np.random.RandomState(seed)
        self.Wq = r.randn(d_s, d_k) / np.sqrt(d_s)
        self.Wk = r.randn(d_h, d_k) / np.sqrt(d_h)
        self.scale = np.sqrt(d_k)

    def forward(self, s, H):
        q = s.dot(self.Wq)
        k = H.dot(self.Wk)
        e = k.dot(q) / self.scale
        w = np.exp(e - e.max())
        w = w / w.sum()
        self.cache = (s, H, q, k, w)
        return w.dot(H), w

    def backward(self, dc):
        s, H, q, k, w = self.cache
        dw = H.dot(dc)
        de = w * (dw - w.dot(dw)) / self.scale
        dq, dk = k.T.dot(de), np.outer(de, q)
        dH = np.outer(w, dc) + dk.dot(self.Wk.T)
        self.dWq, self.dWk = np.outer(s, dq), H.T.dot(dk)
        return self.Wq.dot(dq), dH


if __name__ == "__main__":
    r = np.random.RandomState(1)
    att = DotAttention(6, 8, 16)
    c, w = att.forward(r.randn(6), r.randn(5, 8))
    ds, dH = att.backward(np.ones(8))
    print(c.shape, w.sum(), ds.shape, dH.shape)
