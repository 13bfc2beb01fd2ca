"""Keras: layers that are built when they are called, functional models, wrapped layers."""

from __future__ import annotations

import pytest

from attncheck.frameworks.lookup import find, find_layer, public
from tracer.tracing import function, last, module, parameter

HEAD = """
import keras
import tensorflow as tf
from keras import Input, Model, layers, ops
from tensorflow.keras import backend as K
x = ops.zeros((3, 5, 8))
q = ops.zeros((3, 4, 8))
s = ops.zeros((3, 8))
"""

NET = """
class Pool(layers.Layer):
    def __init__(self, width, **kwargs):
        super().__init__(**kwargs)
        self.width = width
        self.first = layers.Dense(width, activation="tanh")

    def build(self, input_shape):
        self.kernel = self.add_weight(shape=(input_shape[-1], self.width), name="kernel")
        self.older = self.add_weight("older", (self.width, 2))
        self.built = True

    def call(self, inputs, training=False, mask=None):
        hidden = ops.matmul(inputs, self.kernel) + self.first(inputs)
        return ops.matmul(hidden, self.older)

class Net(keras.Model):
    def __init__(self):
        super().__init__()
        self.pool = Pool(7)
        self.out = layers.Dense(4)

    def call(self, x):
        return self.out(self.pool(x, training=True))
"""


def told(code, name="y"):
    return last(module(HEAD + NET + code), name)


#: What Keras 3.15 gives for each, run.
CALLS = {
    "y = Pool(7)(x)": (3, 5, 2),
    "y = Pool(7)(x, mask=None, training=True)": (3, 5, 2),
    "y = Pool(7)(s)": (3, 2),
    "y = Net()(x)": (3, 5, 4),
    "y = layers.Dense(6, activation='softmax')(x)": (3, 5, 6),
    "y = layers.Embedding(9, 6)(ops.zeros((3, 5), dtype='int32'))": (3, 5, 6),
    "y = layers.LSTM(6)(x)": (3, 6),
    "y = layers.GRU(6, return_sequences=True)(x)": (3, 5, 6),
    "y, h, c = layers.LSTM(6, return_state=True)(x)": (3, 6),
    "z, y, c = layers.LSTM(6, return_sequences=True, return_state=True)(x)": (3, 6),
    "y = layers.Bidirectional(layers.GRU(6, return_sequences=True))(x)": (3, 5, 12),
    "y = layers.Bidirectional(layers.GRU(6), merge_mode='sum')(x)": (3, 6),
    "y, fh, fc, bh, bc = layers.Bidirectional(layers.LSTM(6, return_state=True))(x)": (3, 12),
    "z, fh, y = layers.Bidirectional(layers.GRU(6, return_state=True))(x)": (3, 6),
    "y, _ = layers.GRUCell(8)(s, [s])": (3, 8),
    "_, (h, y) = layers.LSTMCell(8)(s, [s, s])": (3, 8),
    "y = layers.RNN(layers.LSTMCell(6), return_sequences=True)(x)": (3, 5, 6),
    "y = layers.TimeDistributed(layers.Dense(6))(x)": (3, 5, 6),
    "y = layers.TimeDistributed(layers.Flatten())(ops.zeros((3, 5, 2, 4)))": (3, 5, 8),
    "y = layers.Lambda(lambda t: ops.sum(t, axis=1))(x)": (3, 8),
    "y = layers.Activation('softmax')(x)": (3, 5, 8),
    "y = layers.Permute((2, 1))(x)": (3, 8, 5),
    "y = layers.Reshape((10, 4))(x)": (3, 10, 4),
    "y = layers.RepeatVector(6)(s)": (3, 6, 8),
    "y = layers.Dot(axes=2)([x, q])": (3, 5, 4),
    "y = layers.Dot(axes=(1, 1))([s, s])": (3, 1),
    "y = layers.dot([x, q], axes=[2, 2])": (3, 5, 4),
    "y = layers.Add()([x, s])": (3, 5, 8),
    "y = layers.concatenate([x, x])": (3, 5, 16),
    "y = layers.Concatenate(axis=1)([x, q])": (3, 9, 8),
    "y = layers.Attention()([q, x])": (3, 4, 8),
    "_, y = layers.Attention()([q, x], return_attention_scores=True)": (3, 4, 5),
    "y = layers.AdditiveAttention()([q, x])": (3, 4, 8),
    "y = layers.MultiHeadAttention(2, 6)(q, x)": (3, 4, 8),
    "_, y = layers.MultiHeadAttention(2, 6)(q, x, return_attention_scores=True)": (3, 2, 4, 5),
    "y = layers.MultiHeadAttention(2, 6, output_shape=9)(q, x)": (3, 4, 9),
    "y = layers.EinsumDense('abc,cde->abde', output_shape=(None, 2, 6))(x)": (3, 5, 2, 6),
    "y = layers.GlobalAveragePooling1D()(x)": (3, 8),
    "y = keras.Sequential([layers.Dense(6), layers.Flatten()])(x)": (3, 30),
    "y = ops.einsum('btd,bsd->bts', q, x)": (3, 4, 5),
    "y = ops.softmax(ops.matmul(q, ops.transpose(x, (0, 2, 1))))": (3, 4, 5),
    "b, t, d = ops.shape(x)\ny = ops.reshape(x, (b, t, 2, d // 2))": (3, 5, 2, 4),
    "y = ops.split(x, 2, axis=-1)[0]": (3, 5, 4),
    "y = ops.split(x, [3], axis=-1)[0]": (3, 5, 3),
}


@pytest.mark.parametrize("code", CALLS)
def test_layers(code):
    assert told(code) == CALLS[code]


#: What TensorFlow 2.21 gives for each, run.
TENSORS = {
    "y = tf.matmul(q, x, transpose_b=True)": (3, 4, 5),
    "y = tf.nn.softmax(tf.matmul(q, x, transpose_b=True), axis=-1) @ x": (3, 4, 8),
    "b = tf.shape(x)[0]\ny = tf.reshape(x, (b, -1, 4))": (3, 10, 4),
    "y = tf.reshape(x, tf.concat([tf.shape(x)[:-1], [2, 4]], axis=0))": (3, 5, 2, 4),
    "b, t, d = x.shape\ny = tf.reshape(x, tf.stack([b * t, d]))": (15, 8),
    "y = tf.transpose(x, perm=[0, 2, 1])": (3, 8, 5),
    "y = tf.transpose(x)": (8, 5, 3),
    "y = tf.expand_dims(s, 1) + x": (3, 5, 8),
    "y = s[:, tf.newaxis] + x": (3, 5, 8),
    "y = tf.reduce_sum(x, axis=1, keepdims=True)": (3, 1, 8),
    "y, z = tf.split(x, 2, axis=-1)": (3, 5, 4),
    "y, z = tf.split(x, [3, 5], axis=-1)": (3, 5, 3),
    "y, *z = tf.unstack(x, axis=1)": (3, 8),
    "y = tf.sequence_mask(tf.constant([1, 2, 3]), maxlen=5)": (3, 5),
    "y = tf.linalg.band_part(tf.ones((5, 5)), -1, 0)": (5, 5),
    "y = tf.gather(x, [0, 2], axis=1)": (3, 2, 8),
    "y = tf.one_hot(tf.constant([1, 2]), depth=6)": (2, 6),
    "y = tf.tile(s[:, None], [1, 5, 1])": (3, 5, 8),
    "y = tf.random.normal(x.shape)": (3, 5, 8),
    "y = tf.random.normal(x.get_shape().as_list())": (3, 5, 8),
    "y = tf.Variable(tf.keras.initializers.GlorotUniform()((8, 6)))": (8, 6),
    "y = tf.linalg.matvec(x, s)": (3, 5),
    "f = tf.function(lambda t: tf.transpose(t))\ny = f(s)": (8, 3),
    "y = K.batch_dot(s, x, axes=[1, 2])": (3, 5),
    "y = K.dot(x, K.ones((8, 6)))": (3, 5, 6),
    "y = K.sum(x, axis=1)": (3, 8),
    "y = K.expand_dims(s)": (3, 8, 1),
    "y = K.permute_dimensions(x, (0, 2, 1))": (3, 8, 5),
    "y = K.repeat(s, 5)": (3, 5, 8),
    "y = K.concatenate([x, x])": (3, 5, 16),
}


@pytest.mark.parametrize("code", TENSORS)
def test_functions_of_tensorflow(code):
    assert told(code) == TENSORS[code]


def test_a_layer_in_general():
    traced = function(NET, "Pool.call", head=HEAD)
    assert parameter(traced, "hidden") == "(..., width)"


def test_inputs_of_one_model_share_their_batch():
    code = (
        "a = Input(shape=(5, 8))\nb = Input((8,))\n"
        "y = layers.Add()([a, layers.RepeatVector(5)(b)])\n"
    )
    assert told(code) == ("batch_size", 5, 8)


PLACES = {
    "tensorflow.keras.layers.Dense": "keras.layers.Dense",
    "tensorflow.python.keras.layers.Dense": "keras.layers.Dense",
    "tensorflow.compat.v1.keras.layers.GRU": "keras.layers.GRU",
    "tf_keras.layers.LSTM": "keras.layers.LSTM",
    "keras.src.layers.attention.attention.Attention": "keras.layers.Attention",
    "keras.layers.core.Dense": "keras.layers.Dense",
    "keras.ops.numpy.sum": "keras.ops.sum",
    "tensorflow.keras.backend.dot": "keras.backend.dot",
    "tensorflow.compat.v2.matmul": "tensorflow.matmul",
}


@pytest.mark.parametrize("path", PLACES)
def test_one_name_for_each_place(path):
    assert public(path) == PLACES[path]
    assert find(path) is not None or find_layer(path) is not None


def test_star_imports_name_what_the_library_has():
    code = (
        "from tensorflow.keras.layers import *\nfrom keras.models import *\n"
        "a = Input((5, 8))\nclass Own(Layer):\n    def call(self, t):\n        return add([t, t])\n"
        "y = Sequential([Own(), Dense(6)])(TimeDistributed(Dense(7))(a))\n"
    )
    assert last(module(code), "y") == ("batch_size", 5, 6)


def test_a_layer_is_built_for_what_it_is_called_with():
    traced = function(
        "class Scale(layers.Layer):\n"
        "    def build(self, shape):\n"
        "        assert len(shape) == 3\n"
        "        self.w = self.add_weight(shape=(shape[-1], 4))\n"
        "    def call(self, x):\n"
        "        y = ops.matmul(x, self.w)\n"
        "        return y\n",
        "Scale.call",
        head=HEAD,
    )
    assert parameter(traced, "y") == "(x_0, x_1, 4)"


def test_a_layer_that_keeps_what_it_was_given_is_built_anew():
    traced = function(
        "class Own(layers.Layer):\n"
        "    def __init__(self, table):\n"
        "        super().__init__()\n"
        "        self.table = ops.tanh(table)\n"
        "    def build(self, shape):\n"
        "        self.w = self.add_weight(shape=(shape[-1], 4))\n"
        "    def call(self, x):\n"
        "        y = ops.matmul(x, self.w)\n"
        "        return y\n",
        "Own.call",
        head=HEAD,
    )
    assert parameter(traced, "y") == "(..., 4)"


@pytest.mark.parametrize(
    ("begin", "size", "shape"),
    [
        ([0, 1, 0], [-1, -1, 3], (3, 4, 3)),
        ([0, 0, 2], [2, 5, -1], (2, 5, 6)),
        ("[0, n, 0]", [-1, -1, 8], (3, "?", 8)),
    ],
)
def test_a_slice_of_minus_one_is_all_that_is_left(begin, size, shape):
    traced = module(f"{HEAD}n = int(input())\ny = tf.slice(x, {begin}, {size})\n")
    assert last(traced, "y") == shape


MIXED = """
class Mix(layers.Layer):
    def build(self, query_shape, memory_shape=None):
        self.of_query = self.add_weight(shape=(query_shape[-1], 6))
        self.of_memory = None
        if memory_shape:
            self.of_memory = self.add_weight(shape=(memory_shape[-1], 6))

    def call(self, query, scale=1.0, memory=None):
        y = ops.matmul(query, self.of_query)
        if self.of_memory is not None:
            keys = ops.matmul(memory, self.of_memory)
            weights = ops.softmax(ops.matmul(y, ops.transpose(keys, (0, 2, 1))))
            y = ops.matmul(weights, memory)
        return y

m = ops.zeros((3, 7, 5))
"""


#: What Keras 3.15 gives for each, run.
@pytest.mark.parametrize(
    "call, shape",
    [
        ("Mix()(q)", (3, 4, 6)),
        ("Mix()(q, memory=m)", (3, 4, 5)),
        ("Mix()(q, scale=2.0, memory=x)", (3, 4, 8)),
    ],
)
def test_a_build_gets_the_shape_of_each_argument_by_its_name(call, shape):
    assert last(module(f"{HEAD}{MIXED}y = {call}\n"), "y") == shape


def test_what_only_some_calls_build_is_followed_in_general():
    traced = function(MIXED, "Mix.call", head=HEAD)
    assert parameter(traced, "keys") == "(..., 6)"
