import keras
from keras import layers, ops


def build_triage_model(vocab_size=20000, embed_dim=64, units=64, max_len=200, n_classes=6):
    """Department a patient message should go to; attention weights as second output."""
    token_ids = keras.Input(shape=(max_len,), dtype="int32", name="token_ids")
    padding = ops.equal(token_ids, 0)

    x = layers.Embedding(vocab_size, embed_dim)(token_ids)
    x = layers.Bidirectional(layers.GRU(units, return_sequences=True))(x)

    scores = layers.Dense(units, activation="tanh")(x)
    scores = layers.Dense(1, use_bias=False)(scores)
    scores = layers.Reshape((max_len,))(scores)
    weights = layers.Softmax(axis=-1, name="attention")(scores, mask=padding)

    summary = layers.Dot(axes=1)([weights, x])
    summary = layers.Dropout(0.3)(summary)
    department = layers.Dense(n_classes, activation="softmax", name="department")(summary)
    return keras.Model(token_ids, [department, weights])


if __name__ == "__main__":
    model = build_triage_model(vocab_size=100, embed_dim=8, units=8, max_len=20)
    model.summary()
