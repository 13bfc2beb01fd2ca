import numpy as np


class PositionalEncoding:
    """ sinusoidal position table """

    def __init__(self, max_len, d_model, dropout_rate=0.1):
        self.dropout_rate = dropout_rate
        pe = np.zeros((max_len, d_model))
        position = np.arange(0, max_len)[:, np.newaxis]
        div_term = np.exp(np.arange(0, d_model, 2) * (-np.log(10000.0) / d_model))
        pe[:, 0::2] = np.sin(position * div_term)
        pe[:, 1::2] = np.cos(position * div_term)
        self.pe = pe[:, np.newaxis, :].astype(np.float32)

    def forward(self, x):
        x = x + self.pe[:x.shape[0], :]  # (batch_size, seq_len, d_model)
        return x


class Encoder:
    def __init__(self, vocab, d_model=32, max_len=200, seed=3):
        r = np.random.default_rng(seed)
        self.scale = np.sqrt(d_model)
        self.table = r.normal(0, 0.02, (vocab, d_model))
        self.Wq, self.Wk, self.Wv = r.normal(0, d_model ** -0.5, (3, d_model, d_model))
        self.position_embedding = PositionalEncoding(max_len, d_model)

    def forward(self, src):
        x = self.table[src] * self.scale
        x = self.position_embedding.forward(x)
        q, k, v = x @ self.Wq, x @ self.Wk, x @ self.Wv
        energy = q @ k.transpose(0, 2, 1) / self.scale
        attn = np.exp(energy - energy.max(-1, keepdims=True))
        attn /= attn.sum(-1, keepdims=True)
        return x + attn @ v


if __name__ == "__main__":
    src = np.random.default_rng(0).integers(0, 1000, (16, 24))
    print(Encoder(1000).forward(src).shape)
