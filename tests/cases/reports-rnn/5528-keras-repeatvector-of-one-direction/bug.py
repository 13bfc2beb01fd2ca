import numpy as np
import keras
from keras import layers, ops

MAX_LEN = 20
VOCAB = 150
units = 16

inputs_shape = (MAX_LEN,)


def build_model():
    _input = layers.Input(shape=inputs_shape, dtype="int32")
    embedded = layers.Embedding(VOCAB, 24)(_input)
    activations = layers.Bidirectional(layers.LSTM(units, return_sequences=True))(embedded)

    # compute importance for each step
    attention = layers.Dense(1, activation="tanh")(activations)
    attention = layers.Flatten()(attention)
    attention = layers.Activation("softmax")(attention)
    attention = layers.RepeatVector(units)(attention)
    attention = layers.Permute([2, 1])(attention)

    sent_representation = layers.Multiply()([activations, attention])
    sent_representation = layers.Lambda(lambda xin: ops.sum(xin, axis=-2), output_shape=lambda s: (s[0], s[2]))(sent_representation)

    probabilities = layers.Dense(3, activation="softmax")(sent_representation)
    return keras.Model(_input, probabilities)


if __name__ == "__main__":
    model = build_model()
    print(model(np.random.randint(0, VOCAB, (2, MAX_LEN))).shape)
