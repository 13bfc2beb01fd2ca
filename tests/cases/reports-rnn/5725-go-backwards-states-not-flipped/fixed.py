import keras
from keras import layers, ops


def hand_made_bilstm(x, units, forward, backward):
    """Two LSTMs instead of Bidirectional, because the directions have different dropout."""
    fwd = forward(x)
    bwd = ops.flip(backward(x), axis=1)
    return ops.concatenate([fwd, bwd], axis=-1)


def attention_pooling(states, width):
    hidden = layers.Dense(width, activation="tanh")(states)
    scores = layers.Dense(1, use_bias=False)(hidden)
    weights = layers.Softmax(axis=1, name="attention")(scores)
    return ops.sum(weights * states, axis=1)


def build(maxlen, vocab, emb=64, units=48, width=32, classes=2):
    tokens = keras.Input((maxlen,), dtype="int32")
    x = layers.Embedding(vocab, emb)(tokens)
    forward = layers.LSTM(units, return_sequences=True, recurrent_dropout=0.1, name="fw")
    backward = layers.LSTM(units, return_sequences=True, go_backwards=True, recurrent_dropout=0.3, name="bw")
    states = hand_made_bilstm(x, units, forward, backward)
    sentence = attention_pooling(states, width)
    out = layers.Dense(classes, activation="softmax")(layers.Dropout(0.5)(sentence))
    model = keras.Model(tokens, out)
    model.compile(loss="sparse_categorical_crossentropy", optimizer="adam", metrics=["accuracy"])
    return model
