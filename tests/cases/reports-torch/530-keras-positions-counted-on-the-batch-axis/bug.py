import numpy as np
import keras
from keras import layers, ops


class TokenAndPosition(layers.Layer):
    def __init__(self, maxlen, vocab_size, embed_dim):
        super().__init__()
        self.token_emb = layers.Embedding(vocab_size, embed_dim)
        self.pos_emb = layers.Embedding(maxlen, embed_dim)

    def call(self, x):
        positions = ops.arange(0, ops.shape(x)[0])
        return self.token_emb(x) + self.pos_emb(positions)


class Block(layers.Layer):
    def __init__(self, embed_dim, num_heads, ff_dim):
        super().__init__()
        self.att = layers.MultiHeadAttention(num_heads, embed_dim // num_heads)
        self.ffn = keras.Sequential([layers.Dense(ff_dim, activation="relu"), layers.Dense(embed_dim)])
        self.ln1 = layers.LayerNormalization(epsilon=1e-6)
        self.ln2 = layers.LayerNormalization(epsilon=1e-6)

    def call(self, x):
        x = self.ln1(x + self.att(x, x, use_causal_mask=True))
        return self.ln2(x + self.ffn(x))


class MiniGPT(keras.Model):
    def __init__(self, maxlen=80, vocab=500, dim=32):
        super().__init__()
        self.emb = TokenAndPosition(maxlen, vocab, dim)
        self.block = Block(dim, 2, 64)
        self.lm = layers.Dense(vocab)

    def call(self, ids):
        return self.lm(self.block(self.emb(ids)))


if __name__ == "__main__":
    ids = np.random.default_rng(0).integers(0, 500, (16, 40))
    print(MiniGPT()(ids).shape)
