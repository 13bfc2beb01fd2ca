import numpy as np


def attention_weights(scores):
    shifted = scores - np.max(scores, axis=1, keepdims=True)
    exp = np.exp(shifted)
    return exp / np.sum(exp, axis=1, keepdims=True)


class DotAttention:
    def forward(self, hs, h):
        # hs: (N, T, H), h: (N, H)
        N, T, H = hs.shape
        hr = h.reshape(N, 1, H)
        t = hs * hr
        s = np.sum(t, axis=2)
        a = attention_weights(s)
        c = np.sum(hs * a.reshape(N, T, 1), axis=1)
        self.cache = (hs, hr, a)
        return c


layer = DotAttention()
print(layer.forward(np.random.randn(4, 6, 3), np.random.randn(4, 3)).shape)
