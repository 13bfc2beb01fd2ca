"""What is found in TensorFlow's and Keras' words, and the corrected lines in these words."""

import pytest

from attncheck.engine import check_source
from attncheck.settings import Settings

TF = "import tensorflow as tf\nfrom tensorflow.keras import layers\n"
OPS = "from keras import layers, ops\n"
K = "from keras import backend as K\nfrom keras.layers import *\n"
HEADS = TF + (
    "def merge(v: tf.Tensor, b, t, h, d):\n"
    "    x = tf.reshape(v, (b, h, t, d))\n"
    "    y = tf.reshape(x, (b, t, h * d))\n"
    "    return y\n"
)


def _pool(axis, head=OPS, softmax="ops.softmax", total="ops.sum"):
    return head + (
        "class Pool(layers.Layer):\n"
        "    def __init__(self):\n"
        "        super().__init__()\n"
        "        self.score = layers.Dense(1)\n"
        "    def call(self, x):\n"
        f"        w = {softmax}(self.score(x){axis})\n"
        f"        return {total}(w * x, axis=1)\n"
    )


def _additive(query):
    return OPS + (
        "class Step(layers.Layer):\n"
        "    def __init__(self, width):\n"
        "        super().__init__()\n"
        "        self.attend = layers.AdditiveAttention()\n"
        "        self.cell = layers.GRUCell(width)\n"
        "    def call(self, x, hidden, outputs):\n"
        f"        c = self.attend([{query}, outputs])\n"
        "        y, _ = self.cell(x, [hidden])\n"
        "        return y, c\n"
    )


def _masked(mask):
    return TF + (
        "def attend(q, k, v, hidden):\n"
        "    s = tf.matmul(q, k, transpose_b=True)\n"
        "    s += -1e9 * hidden\n"
        "    return tf.matmul(tf.nn.softmax(s), v)\n"
        "x, ids = tf.ones((2, 5, 4)), tf.ones((2, 5), tf.int32)\n"
        f"attend(x, x, x, tf.cast(ids == 0, tf.float32){mask})\n"
    )


#: name: code, (rule, line, corrected line; dots where none is asked for)
FOUND = {
    "weights of one": (_pool(""), ("ATN301", 7, "w = ops.softmax(self.score(x), axis=1)")),
    "weights of one in tf": (
        _pool(", -1", TF, "tf.nn.softmax", "tf.reduce_sum"),
        ("ATN301", 8, "w = tf.nn.softmax(self.score(x), 1)"),
    ),
    "a flag of matmul": (
        TF + "q = tf.ones((2, 4, 3))\nk = tf.ones((2, 5, 3))\ns = tf.matmul(q, k)\n",
        ("ATN102", 5, "s = tf.matmul(q, k, transpose_b=True)"),
    ),
    "no flag of an operator": (
        TF + "q = tf.ones((2, 4, 3))\nk = tf.ones((2, 5, 3))\ns = q @ k\n",
        ("ATN102", 5, "s = q @ tf.transpose(k, perm=[0, 2, 1])"),
    ),
    "in keras.ops": (
        OPS + "q = ops.ones((2, 4, 3))\nk = ops.ones((2, 5, 3))\ns = ops.matmul(q, k)\n",
        ("ATN102", 4, "s = ops.matmul(q, ops.transpose(k, (0, 2, 1)))"),
    ),
    "heads merged": (
        HEADS,
        ("ATN303", 5, "y = tf.reshape(tf.transpose(x, perm=[0, 2, 1, 3]), (b, t, h * d))"),
    ),
    "a query without an axis of its own": (
        _additive("hidden"),
        ("ATN202", 8, "c = self.attend([hidden[:, None, :], outputs])"),
    ),
    "a mask with an axis more": (
        _masked("[:, None, None, :]"),
        ("ATN501", 5, "s += (-1e9 * hidden)[:, 0]"),
    ),
    "dot of batches": (
        K + "x = K.ones((3, 5, 8))\nw = K.softmax(K.sum(x, axis=-1))\ny = K.dot(w, x)\n",
        ("ATN202", 5, "y = K.batch_dot(w, x, axes=[1, 1])"),
    ),
    "both directions are twice as wide": (
        K + "x = Input((5, 8))\nu = 6\n"
        "h = Bidirectional(LSTM(u, return_sequences=True))(x)\n"
        "z = multiply([h, RepeatVector(5)(LSTM(u)(x))])\n",
        ("ATN110", 6, None),
    ),
    "states of both directions": (
        K + "x = Input((5, 8))\n"
        "z, f, b = Bidirectional(GRU(6, return_state=True))(x)\n"
        "y = GRU(6)(x, initial_state=Concatenate()([f, b]))\n",
        ("ATN103", 5, ...),
    ),
}


@pytest.mark.parametrize("name", FOUND)
def test_found(name):
    code, expected = FOUND[name]
    findings = check_source(code.encode(), "x.py", Settings()).findings
    (one,) = findings
    assert (one.code, one.line) == expected[:2]
    assert expected[2] in (..., one.fix and one.fix.line)


SILENT = {
    "weights over positions": _pool(", axis=1"),
    "a query with an axis": _additive("ops.expand_dims(hidden, 1)"),
    "a mask for each row of scores": _masked("[:, None, :]"),
    "batches one by one": K + "x = K.ones((3, 5, 8))\nw = K.softmax(K.sum(x, axis=-1))\n"
    "y = K.batch_dot(w, x, axes=[1, 1])\n",
    "one table of weights for all sequences": K
    + "x = K.ones((3, 5, 8))\nw = K.softmax(K.ones((4, 5)))\ny = K.dot(w, x)\n",
    "tuples of another size": TF + "a, b = tf.split(tf.ones((2, 6)), [2, 4], axis=-1)\n",
    "a claim about one of two names": TF + "def f(x):\n    m, v = tf.nn.moments(x, axes=[1])\n"
    "    a, b = x, m  # (B, T, d)\n    return a, b\nf(tf.ones((2, 3, 4)))\n",
}


@pytest.mark.parametrize("name", SILENT)
def test_silent(name):
    assert check_source(SILENT[name].encode(), "x.py", Settings()).findings == ()
