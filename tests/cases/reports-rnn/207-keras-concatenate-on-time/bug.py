import keras
from keras import layers, ops


class LuongDecoder(keras.Model):
    def __init__(self, vocab, units):
        super().__init__()
        self.embed = layers.Embedding(vocab, units)
        self.gru = layers.GRU(units, return_sequences=True)
        self.wa = layers.Dense(units, use_bias=False)
        self.wc = layers.Dense(units, activation="tanh")
        self.out = layers.Dense(vocab)

    def call(self, tokens, enc):
        # tokens (B, Tdec) ints, enc (B, Tenc, units)
        h = self.gru(self.embed(tokens))
        score = ops.matmul(self.wa(h), ops.transpose(enc, (0, 2, 1)))
        weights = ops.softmax(score, axis=-1)
        context = ops.matmul(weights, enc)
        merged = ops.concatenate([context, h], axis=1)
        return self.out(self.wc(merged))
