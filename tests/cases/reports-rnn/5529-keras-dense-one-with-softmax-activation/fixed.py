import keras
from keras import layers, ops


class TimeAttention(layers.Layer):
    def __init__(self, units, **kwargs):
        super().__init__(**kwargs)
        self.hidden = layers.Dense(units, activation="tanh")
        self.weight = layers.Dense(1)

    def call(self, x):
        w = ops.softmax(self.weight(self.hidden(x)), axis=1)
        return ops.sum(w * x, axis=1)


def sensor_model(n_steps, n_features, units=12, n_out=1):
    inp = keras.Input((n_steps, n_features))
    x = layers.Conv1D(units, 3, padding="same", activation="relu")(inp)
    x = layers.GRU(units, return_sequences=True)(x)
    x = TimeAttention(8)(x)
    x = layers.Dense(16, activation="relu")(x)
    return keras.Model(inp, layers.Dense(n_out)(x))


if __name__ == "__main__":
    import numpy as np
    model = sensor_model(30, 4)
    model.compile(optimizer="adam", loss="mse")
    print(model(np.random.rand(5, 30, 4).astype("float32")).shape)
