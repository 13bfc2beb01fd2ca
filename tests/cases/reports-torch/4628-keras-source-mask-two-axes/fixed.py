import keras
from keras import layers, ops


class Seq2SeqDecoderLayer(layers.Layer):
    def __init__(self, dim, heads, ff, rate=0.1, **kwargs):
        super().__init__(**kwargs)
        self.self_attn = layers.MultiHeadAttention(heads, dim // heads, dropout=rate)
        self.cross_attn = layers.MultiHeadAttention(heads, dim // heads, dropout=rate)
        self.ffn = keras.Sequential([layers.Dense(ff, activation="relu"), layers.Dense(dim)])
        self.ln = [layers.LayerNormalization(epsilon=1e-6) for _ in range(3)]

    def call(self, x, memory, memory_mask, training=False):
        a = self.self_attn(x, x, use_causal_mask=True, training=training)
        x = self.ln[0](x + a)
        a = self.cross_attn(x, memory, attention_mask=memory_mask, training=training)
        x = self.ln[1](x + a)
        return self.ln[2](x + self.ffn(x))


class Decoder(keras.Model):
    def __init__(self, vocab, max_len, dim=64, heads=4, depth=2):
        super().__init__()
        self.tok = layers.Embedding(vocab, dim)
        self.pos = layers.Embedding(max_len, dim)
        self.blocks = [Seq2SeqDecoderLayer(dim, heads, 4 * dim) for _ in range(depth)]
        self.logits = layers.Dense(vocab)

    def call(self, tgt, memory, src, training=False):
        keep = ops.not_equal(src, 0)[:, None, :]
        x = self.tok(tgt) + self.pos(ops.arange(tgt.shape[1]))
        for block in self.blocks:
            x = block(x, memory, keep, training=training)
        return self.logits(x)


if __name__ == "__main__":
    src = ops.array([[4, 8, 2, 9, 0], [5, 1, 0, 0, 0], [7, 7, 3, 0, 0]])
    memory = keras.random.normal((3, 5, 64))
    tgt = ops.array([[1, 4, 6, 2], [1, 3, 3, 9], [1, 2, 0, 0]])
    print(Decoder(20, 16)(tgt, memory, src).shape)
