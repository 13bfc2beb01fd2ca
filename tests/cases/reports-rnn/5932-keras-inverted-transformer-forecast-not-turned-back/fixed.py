import keras
from keras import layers, ops


class InvertedBlock(layers.Layer):
    def __init__(self, dim, heads):
        super().__init__()
        self.attn = layers.MultiHeadAttention(heads, dim // heads)
        self.ffn = keras.Sequential([layers.Dense(2 * dim, activation="gelu"), layers.Dense(dim)])
        self.n1 = layers.LayerNormalization()
        self.n2 = layers.LayerNormalization()

    def call(self, x):
        x = self.n1(x + self.attn(x, x))
        return self.n2(x + self.ffn(x))


class InvertedForecaster(keras.Model):
    """Every variate is one token: attention runs between the series."""

    def __init__(self, horizon, dim=64, heads=4, depth=2):
        super().__init__()
        self.embed = layers.Dense(dim)
        self.blocks = [InvertedBlock(dim, heads) for _ in range(depth)]
        self.head = layers.Dense(horizon)

    def call(self, series):
        # series: (batch, time, variates)
        mean = ops.mean(series, axis=1, keepdims=True)
        std = ops.std(series, axis=1, keepdims=True) + 1e-5
        z = ops.transpose((series - mean) / std, (0, 2, 1))
        z = self.embed(z)
        for block in self.blocks:
            z = block(z)
        forecast = ops.transpose(self.head(z), (0, 2, 1))
        return forecast * std + mean


if __name__ == "__main__":
    model = InvertedForecaster(horizon=24)
    print(model(keras.random.normal((8, 96, 7))).shape)
