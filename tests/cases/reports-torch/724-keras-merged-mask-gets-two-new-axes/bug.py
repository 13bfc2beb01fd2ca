import keras
from keras import layers, ops


def merge_padding_and_attention_mask(padding_mask, attention_mask):
    """Combines a (batch, length) padding mask with a (batch, target, source) attention mask."""
    mask = padding_mask
    if mask is not None:
        mask = ops.cast(mask[:, None, None, :], "int32")
    if attention_mask is not None:
        attention_mask = ops.cast(attention_mask, "int32")
        if mask is None:
            return attention_mask
        return ops.minimum(mask, attention_mask)
    return mask


class TransformerEncoder(layers.Layer):
    def __init__(self, intermediate_dim, num_heads, hidden_dim, **kwargs):
        super().__init__(**kwargs)
        self.attention = layers.MultiHeadAttention(num_heads, hidden_dim // num_heads)
        self.attention_norm = layers.LayerNormalization()
        self.ffn = keras.Sequential([layers.Dense(intermediate_dim, activation="relu"), layers.Dense(hidden_dim)])
        self.ffn_norm = layers.LayerNormalization()

    def call(self, inputs, padding_mask=None, attention_mask=None):
        mask = merge_padding_and_attention_mask(padding_mask, attention_mask)
        x = self.attention(inputs, inputs, attention_mask=mask)
        x = self.attention_norm(x + inputs)
        return self.ffn_norm(self.ffn(x) + x)


if __name__ == "__main__":
    encoder = TransformerEncoder(intermediate_dim=64, num_heads=8, hidden_dim=32)
    x = keras.random.normal((2, 6, 32))
    padding = ops.convert_to_tensor([[1, 1, 1, 1, 1, 0], [1, 1, 1, 0, 0, 0]])
    band = ops.cast(ops.abs(ops.arange(6)[:, None] - ops.arange(6)[None, :]) <= 2, "int32")
    attention = ops.broadcast_to(band, (2, 6, 6))
    print(encoder(x, padding_mask=padding, attention_mask=attention).shape)
