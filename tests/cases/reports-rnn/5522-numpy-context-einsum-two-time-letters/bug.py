import numpy as np


def softmax(x, axis):
    x = np.exp(x - x.max(axis=axis, keepdims=True))
    return x / x.sum(axis=axis, keepdims=True)


class AdditiveAttention:
    def __init__(self, enc_dim, dec_dim, units, rng):
        self.W1 = rng.normal(0, 0.5, (enc_dim, units))
        self.W2 = rng.normal(0, 0.5, (dec_dim, units))
        self.v = rng.normal(0, 0.5, units)

    def __call__(self, dec_state, enc_states):
        # enc_states: (batch, src_len, enc_dim), dec_state: (batch, dec_dim)
        hidden = np.tanh(np.einsum('bse,eu->bsu', enc_states, self.W1) + np.einsum('bd,du->bu', dec_state, self.W2)[:, None])
        weights = softmax(np.einsum('bsu,u->bs', hidden, self.v), axis=1)
        context = np.einsum('bt,bse->be', weights, enc_states)
        return context, weights


class DecoderCell:
    def __init__(self, in_dim, enc_dim, dec_dim, units, seed=0):
        rng = np.random.default_rng(seed)
        self.attention = AdditiveAttention(enc_dim, dec_dim, units, rng)
        self.Wx = rng.normal(0, 0.3, (in_dim + enc_dim, dec_dim))
        self.Wh = rng.normal(0, 0.3, (dec_dim, dec_dim))
        self.b = np.zeros(dec_dim)

    def forward(self, xs, state, enc_states):
        maps = []
        for x in xs.transpose(1, 0, 2):
            context, weights = self.attention(state, enc_states)
            state = np.tanh(np.concatenate([x, context], axis=1) @ self.Wx + state @ self.Wh + self.b)
            maps.append(weights)
        return state, np.stack(maps, axis=1)


if __name__ == "__main__":
    rng = np.random.default_rng(1)
    cell = DecoderCell(5, 8, 6, 10)
    state, maps = cell.forward(rng.normal(size=(3, 4, 5)), np.zeros((3, 6)), rng.normal(size=(3, 7, 8)))
    print(state.shape, maps.sum(axis=2))
