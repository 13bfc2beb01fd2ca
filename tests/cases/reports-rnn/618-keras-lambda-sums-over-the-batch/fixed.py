import os

os.environ.setdefault("KERAS_BACKEND", "torch")
import numpy as np
from keras import Model, layers, ops


def build_classifier(vocab, max_length=50, units=64, classes=3):
    tokens = layers.Input((max_length,), dtype="int32")
    embedded = layers.Embedding(vocab, 100)(tokens)
    activations = layers.LSTM(units, return_sequences=True)(embedded)

    # importance of each step
    attention = layers.TimeDistributed(layers.Dense(1, activation="tanh"))(activations)
    attention = layers.Flatten()(attention)
    attention = layers.Activation("softmax", name="importance")(attention)
    attention = layers.RepeatVector(units)(attention)
    attention = layers.Permute([2, 1])(attention)

    # apply the attention
    weighted = layers.Multiply()([activations, attention])
    sent_representation = layers.Lambda(lambda xin: ops.sum(xin, axis=1))(weighted)
    probabilities = layers.Dense(classes, activation="softmax")(sent_representation)
    return Model(tokens, probabilities)


if __name__ == "__main__":
    model = build_classifier(vocab=2000)
    batch = np.random.randint(1, 2000, (50, 50)).astype("int32")
    print(model(batch)[:2])
