import numpy as np


def softmax(x):
    x = np.exp(x - np.max(x))
    return x / np.sum(x)


class LuongRNN:
    """Luong (general) attention: h_t -> a_t -> c_t -> h~_t."""

    def __init__(self, d_in, d_s, d_h):
        self.Wx = np.random.randn(d_s, d_in) * .1
        self.Wh = np.random.randn(d_s, d_s) * .1
        self.Wa = np.random.randn(d_s, d_h) * .1
        self.Wc = np.random.randn(d_s, d_h + d_s) * .1

    def cell(self, x, h):
        return np.tanh(self.Wx @ x + self.Wh @ h)

    def score(self, h, hs):
        return hs @ (self.Wa.T @ h)

    def forward(self, xs, h, hs):
        outs = []
        for x in xs:
            h = self.cell(x, h)
            a = softmax(self.score(h, hs))
            c = a @ hs
            outs.append(np.tanh(self.Wc @ np.concatenate([c, h])))
        return np.array(outs), h


if __name__ == "__main__":
    rnn = LuongRNN(3, 4, 6)
    print(rnn.forward(np.random.randn(5, 3), np.zeros(4), np.random.randn(7, 6))[0].shape)
