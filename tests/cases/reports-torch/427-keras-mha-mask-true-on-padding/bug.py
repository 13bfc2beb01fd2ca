import keras
from keras import layers, ops

VOCAB, MAXLEN, DIM = 8000, 64, 48


def create_padding_mask(seq):
    seq = ops.equal(seq, 0)
    return seq[:, None, :]  # (batch_size, 1, seq_len)


class EncoderBlock(layers.Layer):
    def __init__(self, embed_dim, num_heads, ff_dim, rate=0.1):
        super().__init__()
        self.att = layers.MultiHeadAttention(num_heads=num_heads, key_dim=embed_dim // num_heads)
        self.ffn = keras.Sequential([layers.Dense(ff_dim, activation="relu"), layers.Dense(embed_dim)])
        self.norm1 = layers.LayerNormalization(epsilon=1e-6)
        self.norm2 = layers.LayerNormalization(epsilon=1e-6)
        self.drop1 = layers.Dropout(rate)
        self.drop2 = layers.Dropout(rate)

    def call(self, x, padding_mask, training=False):
        a = self.att(x, x, attention_mask=padding_mask)
        x = self.norm1(x + self.drop1(a, training=training))
        f = self.ffn(x)
        return self.norm2(x + self.drop2(f, training=training))


class TextClassifier(keras.Model):
    def __init__(self, vocab=VOCAB, dim=DIM, heads=4, classes=5):
        super().__init__()
        self.tok = layers.Embedding(vocab, dim)
        self.pos = layers.Embedding(MAXLEN, dim)
        self.block = EncoderBlock(dim, heads, 2 * dim)
        self.out = layers.Dense(classes, activation="softmax")

    def call(self, ids, training=False):
        x = self.tok(ids) + self.pos(ops.arange(ids.shape[1]))
        x = self.block(x, create_padding_mask(ids), training=training)
        return self.out(x[:, 0])  # [CLS]


if __name__ == "__main__":
    ids = keras.random.randint((8, 40), 1, VOCAB)
    print(TextClassifier()(ids).shape)
