import keras
from keras import layers


class SpatialSqueezeExcite(layers.Layer):
    """sSE: one gate per pixel."""

    def build(self, input_shape):
        channels = input_shape[-1]
        self.conv = layers.Conv2D(1, 1, activation="sigmoid", use_bias=False)
        self.conv.build((*input_shape[:-1], channels))

    def call(self, x):
        return x * self.conv(x)


class ChannelSqueezeExcite(layers.Layer):
    """cSE: one gate per channel."""

    def __init__(self, reduction=2, **kwargs):
        super().__init__(**kwargs)
        self.reduction = reduction

    def build(self, input_shape):
        channels = input_shape[-1]
        self.pool = layers.GlobalAveragePooling2D(keepdims=True)
        self.down = layers.Dense(channels // self.reduction, activation="relu")
        self.up = layers.Dense(channels, activation="sigmoid")
        self.down.build((None, 1, 1, channels))
        self.up.build((None, 1, 1, channels // self.reduction))

    def call(self, x):
        return x * self.up(self.down(self.pool(x)))


def decoder_block(x, skip, filters):
    x = layers.UpSampling2D(2)(x)
    x = layers.Concatenate()([x, skip])
    x = layers.Conv2D(filters, 3, padding="same", activation="relu")(x)
    return layers.Add()([ChannelSqueezeExcite()(x), SpatialSqueezeExcite()(x)])


def build_unet(input_shape=(32, 32, 1), filters=8):
    inputs = keras.Input(input_shape)
    e1 = layers.Conv2D(filters, 3, padding="same", activation="relu")(inputs)
    e2 = layers.Conv2D(2 * filters, 3, padding="same", activation="relu")(layers.MaxPooling2D()(e1))
    bottom = layers.Conv2D(4 * filters, 3, padding="same", activation="relu")(layers.MaxPooling2D()(e2))
    x = decoder_block(bottom, e2, 2 * filters)
    x = decoder_block(x, e1, filters)
    return keras.Model(inputs, layers.Conv2D(1, 1, activation="sigmoid")(x))
