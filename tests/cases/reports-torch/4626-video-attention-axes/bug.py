import keras
from keras import layers, ops


class DividedBlock(layers.Layer):
    """Divided space-time attention on video tokens (batch, frames, patches, channels)."""

    def __init__(self, dim, heads, **kwargs):
        super().__init__(**kwargs)
        self.time_norm = layers.LayerNormalization(epsilon=1e-6)
        self.time_attn = layers.MultiHeadAttention(heads, dim // heads, attention_axes=2, name="time")
        self.space_norm = layers.LayerNormalization(epsilon=1e-6)
        self.space_attn = layers.MultiHeadAttention(heads, dim // heads, attention_axes=2, name="space")
        self.mlp_norm = layers.LayerNormalization(epsilon=1e-6)
        self.mlp = keras.Sequential([layers.Dense(2 * dim, activation="gelu"), layers.Dense(dim)])

    def call(self, x):
        y = self.time_norm(x)
        x = x + self.time_attn(y, y)
        y = self.space_norm(x)
        x = x + self.space_attn(y, y)
        return x + self.mlp(self.mlp_norm(x))


def build_video_classifier(frames, patches, channels, dim=64, heads=4, depth=2, classes=10):
    clip = keras.Input((frames, patches, channels))
    x = layers.Dense(dim)(clip)
    for _ in range(depth):
        x = DividedBlock(dim, heads)(x)
    x = ops.mean(x, axis=(1, 2))
    return keras.Model(clip, layers.Dense(classes)(x))


if __name__ == "__main__":
    model = build_video_classifier(8, 16, 48)
    print(model(keras.random.normal((2, 8, 16, 48))).shape)
