import keras
import numpy as np
from keras import layers


def build_forecaster(time_steps, n_features, units=32, horizon=1):
    """LSTM encoder, attention between its outputs and its final state, dense head."""
    inputs = keras.Input(shape=(time_steps, n_features))
    sequence, state_h, _ = layers.LSTM(units, return_sequences=True, return_state=True, name="encoder")(inputs)
    state = layers.Reshape((1, units), name="state")(state_h)

    context = layers.Attention(name="attention")([state, sequence])
    context = layers.GlobalAveragePooling1D(name="context")(context)

    x = layers.Concatenate()([context, state_h])
    x = layers.Dense(units, activation="relu")(x)
    outputs = layers.Dense(horizon)(x)
    return keras.Model(inputs, outputs)


def windows(series, time_steps):
    x = np.stack([series[i:i + time_steps] for i in range(len(series) - time_steps)])
    return x, series[time_steps:, :1]


if __name__ == "__main__":
    t = np.arange(120)
    series = np.stack([np.sin(t / 7), np.cos(t / 11), t % 7 / 7], axis=1).astype("float32")
    x, y = windows(series, 20)
    model = build_forecaster(20, 3)
    model.compile("adam", "mse")
    print(model.evaluate(x, y, verbose=0), model.predict(x[:2], verbose=0).shape)
