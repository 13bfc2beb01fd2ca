import numpy as np


def sigmoid(z):
    return 1 / (1 + np.exp(-z))


class Encoder:
    def __init__(self, n_in, n_hid):
        self.Wxh = np.random.randn(n_hid, n_in) / np.sqrt(n_in)
        self.Whh = np.random.randn(n_hid, n_hid) / np.sqrt(n_hid)
        self.n_hid = n_hid

    def run(self, xs):
        h = np.zeros(self.n_hid)
        states = []
        for x in xs:
            h = np.tanh(self.Wxh.dot(x) + self.Whh.dot(h))
            states.append(h)
        return np.array(states), h


def attend(h, states):
    scores = h.dot(states)
    scores = np.exp(scores - scores.max())
    weights = scores / scores.sum()
    return weights.dot(states), weights


if __name__ == "__main__":
    enc = Encoder(4, 6)
    states, h = enc.run(np.random.randn(9, 4))
    context, weights = attend(h, states)
    print(context.shape, weights.shape)
