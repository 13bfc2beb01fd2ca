import keras
from keras import layers, ops


class NetVLAD(layers.Layer):
    """Soft-assigns every frame descriptor to the clusters and sums up the residuals."""

    def __init__(self, n_clusters, **kwargs):
        super().__init__(**kwargs)
        self.n_clusters = n_clusters
        self.assignment = layers.Dense(n_clusters)

    def build(self, input_shape):
        self.centers = self.add_weight(
            name="centers", shape=(self.n_clusters, input_shape[-1]), initializer="random_normal")
        self.assignment.build(input_shape)
        self.built = True

    def call(self, frames):
        a = ops.softmax(self.assignment(frames), axis=1)
        first = ops.einsum("btk,btd->bkd", a, frames)
        mass = ops.sum(a, axis=1)
        vlad = first - ops.expand_dims(mass, -1) * self.centers
        vlad = vlad / (ops.norm(vlad, axis=-1, keepdims=True) + 1e-6)
        return ops.reshape(vlad, (ops.shape(frames)[0], self.n_clusters * frames.shape[-1]))


def video_tagger(n_frames, d_frame, n_clusters, n_labels):
    frames = layers.Input((n_frames, d_frame))
    x = layers.LayerNormalization()(frames)
    x = NetVLAD(n_clusters)(x)
    x = layers.Dense(256, activation="relu")(x)
    return keras.Model(frames, layers.Dense(n_labels, activation="sigmoid")(x))
