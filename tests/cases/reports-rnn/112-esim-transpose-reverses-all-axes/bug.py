from keras import ops
from keras.layers import LSTM, Bidirectional, Dense, Layer


class SoftAlign(Layer):
    """Aligns premise (a) and hypothesis (b) with each other."""

    def __init__(self, units):
        super().__init__()
        self.encoder = Bidirectional(LSTM(units, return_sequences=True))
        self.proj = Dense(units)

    def call(self, a, b):
        a_bar = self.encoder(a)
        b_bar = self.encoder(b)
        # batch x len_a x len_b
        weights = ops.matmul(a_bar, ops.transpose(b_bar, (0, 2, 1)))
        soft_a = ops.softmax(weights)
        soft_b = ops.transpose(ops.softmax(ops.transpose(weights)))
        a_hat = ops.matmul(soft_a, b_bar)
        b_hat = ops.matmul(ops.transpose(soft_b, (0, 2, 1)), a_bar)
        m_a = ops.concatenate([a_bar, a_hat, a_bar - a_hat, a_bar * a_hat], axis=2)
        m_b = ops.concatenate([b_bar, b_hat, b_bar - b_hat, b_bar * b_hat], axis=2)
        return self.proj(m_a), self.proj(m_b)
