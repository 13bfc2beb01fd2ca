import keras
import numpy as np
from keras import layers, ops


class ReviewEncoder(keras.Model):
    """Self attention over the words of a review; id 0 is padding."""

    def __init__(self, vocab_size, embed_dim, num_heads):
        super().__init__()
        self.embed = layers.Embedding(vocab_size, embed_dim)
        self.mha = layers.MultiHeadAttention(num_heads, key_dim=embed_dim // num_heads)
        self.norm = layers.LayerNormalization()
        self.out = layers.Dense(1)

    def call(self, tokens):
        mask = ops.equal(tokens, 0)
        x = self.embed(tokens)
        attended = self.mha(x, x, attention_mask=mask[:, None, :])
        x = self.norm(x + attended)
        # first word is [CLS]
        return self.out(x[:, 0])


if __name__ == "__main__":
    model = ReviewEncoder(50, 16, 2)
    ids = np.array([[1, 7, 9, 3, 0, 0], [1, 4, 0, 0, 0, 0]])
    print(model(ids).shape)
