import keras
import numpy as np
from keras import layers, ops


class TransformerEncoder(layers.Layer):
    def __init__(self, embed_dim, num_heads, **kwargs):
        super().__init__(**kwargs)
        self.attention = layers.MultiHeadAttention(num_heads, embed_dim // num_heads)
        self.dense = keras.Sequential([layers.Dense(2 * embed_dim, activation="relu"), layers.Dense(embed_dim)])
        self.norm_1, self.norm_2 = layers.LayerNormalization(), layers.LayerNormalization()

    def call(self, inputs, source_padding):
        attended = self.attention(inputs, inputs, attention_mask=source_padding[:, None, :])
        x = self.norm_1(inputs + attended)
        return self.norm_2(x + self.dense(x))


class TransformerDecoder(layers.Layer):
    def __init__(self, embed_dim, num_heads, **kwargs):
        super().__init__(**kwargs)
        self.attention_1 = layers.MultiHeadAttention(num_heads, embed_dim // num_heads)
        self.attention_2 = layers.MultiHeadAttention(num_heads, embed_dim // num_heads)
        self.dense = keras.Sequential([layers.Dense(2 * embed_dim, activation="relu"), layers.Dense(embed_dim)])
        self.norm_1, self.norm_2, self.norm_3 = (layers.LayerNormalization() for _ in range(3))

    def call(self, inputs, encoder_outputs, source_padding, target_padding):
        length = inputs.shape[1]
        causal = ops.tril(ops.ones((1, length, length), dtype="bool"))
        x = self.attention_1(inputs, inputs, attention_mask=ops.logical_and(causal, target_padding[:, None, :]))
        x = self.norm_1(inputs + x)
        y = self.attention_2(x, encoder_outputs, attention_mask=source_padding[:, None, :])
        x = self.norm_2(x + y)
        return self.norm_3(x + self.dense(x))


class Translator(keras.Model):
    def __init__(self, vocab_size, embed_dim=32, num_heads=4, **kwargs):
        super().__init__(**kwargs)
        self.embedding = layers.Embedding(vocab_size, embed_dim)
        self.encoder = TransformerEncoder(embed_dim, num_heads)
        self.decoder = TransformerDecoder(embed_dim, num_heads)
        self.out = layers.Dense(vocab_size)

    def call(self, inputs):
        source, target = inputs
        source_padding, target_padding = ops.not_equal(source, 0), ops.not_equal(target, 0)
        memory = self.encoder(self.embedding(source), source_padding)
        return self.out(self.decoder(self.embedding(target), memory, source_padding, target_padding))


if __name__ == "__main__":
    source = np.array([[4, 8, 15, 16, 23, 42, 0], [3, 9, 27, 0, 0, 0, 0]])
    target = np.array([[1, 5, 6, 7], [1, 9, 0, 0]])
    print(Translator(50)((source, target)).shape)
