import numpy as np


def softmax(x):
    e_x = np.exp(x - np.max(x, axis=-1, keepdims=True))
    return e_x / e_x.sum(axis=-1, keepdims=True)


class MultiHeadAttention:
    def __init__(self, d_model=64, heads=8):
        self.d_model = d_model
        self.heads = heads
        self.d_k = d_model // heads
        self.W_q = np.random.randn(d_model, d_model) * 0.1
        self.W_k = np.random.randn(d_model, d_model) * 0.1
        self.W_v = np.random.randn(d_model, d_model) * 0.1
        self.W_o = np.random.randn(d_model, d_model) * 0.1

    def split(self, x):
        # (batch, seq, d_model) -> (batch, heads, seq, d_k)
        batch_size, seq_len = x.shape[:2]
        return x.reshape(batch_size, seq_len, self.heads, self.d_k).transpose(0, 2, 1, 3)

    def forward(self, query, key, value, mask=None):
        Q = self.split(np.dot(query, self.W_q))
        K = self.split(np.dot(key, self.W_k))
        V = self.split(np.dot(value, self.W_v))

        energy = np.matmul(Q, K.transpose(0, 1, 3, 2)) / np.sqrt(self.d_k)
        if mask is not None:
            energy = np.where(mask == 0, -1e9, energy)
        attention = softmax(energy)

        x = np.matmul(attention, V)
        x = x.transpose(0, 2, 1, 3)
        x = x.reshape(query.shape[0], -1, self.d_model)
        return np.dot(x, self.W_o)


if __name__ == "__main__":
    mha = MultiHeadAttention()
    seq = np.random.randn(4, 10, 64)
    look_ahead = np.tril(np.ones((10, 10)))
    print(mha.forward(seq, seq, seq, look_ahead).shape)
