import tensorflow as tf


class NonLocalBlock(tf.keras.layers.Layer):
    """Embedded Gaussian non-local block for (batch, height, width, channels) maps."""

    def __init__(self, inter_channels, sub_sample=True):
        super().__init__()
        self.inter_channels = inter_channels
        self.g = tf.keras.layers.Conv2D(inter_channels, 1)
        self.phi = tf.keras.layers.Conv2D(inter_channels, 1)
        self.theta = tf.keras.layers.Conv2D(inter_channels, 1)
        self.pool = tf.keras.layers.MaxPool2D(2) if sub_sample else tf.identity

    def build(self, input_shape):
        self.w = tf.keras.layers.Conv2D(input_shape[-1], 1)

    def flatten(self, t):
        batch = tf.shape(t)[0]
        return tf.reshape(t, [batch, self.inter_channels, -1])

    def call(self, x):
        shape = tf.shape(x)
        g_x = tf.transpose(self.flatten(self.pool(self.g(x))), [0, 2, 1])
        theta_x = tf.transpose(self.flatten(self.theta(x)), [0, 2, 1])
        phi_x = self.flatten(self.pool(self.phi(x)))

        f = tf.matmul(theta_x, phi_x)
        f_softmax = tf.nn.softmax(f, axis=-1)
        y = tf.matmul(f_softmax, g_x)
        y = tf.reshape(y, [shape[0], shape[1], shape[2], self.inter_channels])
        return x + self.w(y)


if __name__ == "__main__":
    block = NonLocalBlock(8)
    print(block(tf.random.normal([2, 8, 12, 16])).shape)
