import keras
import numpy as np
from keras import layers, ops


def positional_encoding(length, depth):
    angles = np.arange(length)[:, None] / 10000 ** (np.arange(depth // 2)[None, :] / (depth // 2))
    return np.concatenate([np.sin(angles), np.cos(angles)], axis=-1).astype("float32")


def create_look_ahead_mask(size):
    return 1 - ops.tril(ops.ones((size, size)))


class DecoderLayer(layers.Layer):
    def __init__(self, d_model, num_heads, dff, **kwargs):
        super().__init__(**kwargs)
        self.mha = layers.MultiHeadAttention(num_heads=num_heads, key_dim=d_model // num_heads)
        self.ffn = keras.Sequential([layers.Dense(dff, activation="relu"), layers.Dense(d_model)])
        self.norm1 = layers.LayerNormalization(epsilon=1e-6)
        self.norm2 = layers.LayerNormalization(epsilon=1e-6)

    def call(self, x, look_ahead_mask):
        attn = self.mha(query=x, value=x, key=x, attention_mask=look_ahead_mask[None])
        x = self.norm1(x + attn)
        return self.norm2(x + self.ffn(x))


class LanguageModel(keras.Model):
    def __init__(self, vocab_size, d_model=32, num_heads=4, num_layers=2, max_len=64, **kwargs):
        super().__init__(**kwargs)
        self.embedding = layers.Embedding(vocab_size, d_model)
        self.pos = positional_encoding(max_len, d_model)
        self.dec_layers = [DecoderLayer(d_model, num_heads, 2 * d_model) for _ in range(num_layers)]
        self.final = layers.Dense(vocab_size)

    def call(self, tokens):
        length = tokens.shape[1]
        x = self.embedding(tokens) + ops.convert_to_tensor(self.pos[:length])
        mask = create_look_ahead_mask(length)
        for layer in self.dec_layers:
            x = layer(x, mask)
        return self.final(x)


if __name__ == "__main__":
    model = LanguageModel(50)
    print(model(np.array([[1, 2, 3, 4, 5], [6, 7, 8, 9, 10]])).shape)
