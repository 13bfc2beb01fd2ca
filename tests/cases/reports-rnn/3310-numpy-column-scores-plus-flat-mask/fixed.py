import numpy as np

rng = np.random.default_rng(42)


def init(*shape):
    return rng.normal(0.0, 0.1, shape)


class BahdanauDecoder:
    """Forward pass only, one sentence at a time."""

    def __init__(self, d_enc, d_dec, d_att, d_emb):
        self.W_s = init(d_dec, d_att)
        self.W_h = init(d_enc, d_att)
        self.v = init(d_att, 1)
        self.W_x = init(d_emb + d_enc, d_dec)
        self.U = init(d_dec, d_dec)
        self.b = np.zeros(d_dec)

    def attend(self, s, H, pad):
        """s: (1, d_dec)   H: (T, d_enc)   pad: (T,) bool, True where padded"""
        e = np.tanh(s @ self.W_s + H @ self.W_h) @ self.v
        e = e + np.where(pad, -1e9, 0.0)[:, None]
        a = np.exp(e - e.max())
        a = a / a.sum(axis=0)
        return a.T @ H, a

    def step(self, y_emb, s, H, pad):
        context, a = self.attend(s, H, pad)
        x = np.concatenate([y_emb, context], axis=1)
        s = np.tanh(x @ self.W_x + s @ self.U + self.b)
        return s, a


if __name__ == "__main__":
    T, d_enc, d_dec, d_emb = 9, 20, 16, 12
    dec = BahdanauDecoder(d_enc, d_dec, 10, d_emb)
    H = init(T, d_enc)
    pad = np.arange(T) >= 7
    s = np.zeros((1, d_dec))
    for y_emb in init(4, 1, d_emb):
        s, a = dec.step(y_emb, s, H, pad)
        print(np.round(a.ravel(), 3))
