import keras
from keras import layers


def encoder_block(x, head_size, num_heads, ff_dim, dropout):
    skip = x
    x = layers.LayerNormalization(epsilon=1e-6)(x)
    x = layers.MultiHeadAttention(num_heads, head_size, dropout=dropout)(x, x)
    x = layers.Add()([layers.Dropout(dropout)(x), skip])

    skip = x
    x = layers.LayerNormalization(epsilon=1e-6)(x)
    x = layers.Conv1D(ff_dim, 1, activation="relu")(x)
    x = layers.Dropout(dropout)(x)
    x = layers.Conv1D(skip.shape[-1], 1)(x)
    return layers.Add()([x, skip])


def make_model(steps, channels, classes, width=32, head_size=16, num_heads=4, ff_dim=64, blocks=2, mlp=(64,), dropout=0.1):
    inputs = keras.Input((steps, channels), name="sensors")
    x = layers.Dense(width)(inputs)
    for _ in range(blocks):
        x = encoder_block(x, head_size, num_heads, ff_dim, dropout)

    x = layers.GlobalAveragePooling1D(data_format="channels_last", name="pool")(x)
    for units in mlp:
        x = layers.Dense(units, activation="relu")(x)
        x = layers.Dropout(dropout)(x)
    return keras.Model(inputs, layers.Dense(classes, activation="softmax")(x))


if __name__ == "__main__":
    keras.utils.set_random_seed(0)
    model = make_model(steps=50, channels=6, classes=5)
    print(model(keras.random.normal((3, 50, 6))).shape)
