import math

import keras
from keras import layers, ops


class MultiHeadAttention(layers.Layer):
    def __init__(self, n_head, d_model, **kwargs):
        super().__init__(**kwargs)
        self.n_head = n_head
        self.d_k = d_model // n_head
        self.qs_layer = layers.Dense(d_model, use_bias=False)
        self.ks_layer = layers.Dense(d_model, use_bias=False)
        self.vs_layer = layers.Dense(d_model, use_bias=False)
        self.w_o = layers.Dense(d_model)

    def fold_heads(self, x):
        # [batch, len, n_head * d_k] -> [n_head * batch, len, d_k]
        b, n = ops.shape(x)[0], ops.shape(x)[1]
        x = ops.reshape(x, (b, n, self.n_head, self.d_k))
        x = ops.transpose(x, (2, 0, 1, 3))
        return ops.reshape(x, (self.n_head * b, n, self.d_k))

    def unfold_heads(self, x):
        n = ops.shape(x)[1]
        x = ops.reshape(x, (self.n_head, -1, n, self.d_k))
        x = ops.transpose(x, (1, 2, 0, 3))
        return ops.reshape(x, (-1, n, self.n_head * self.d_k))

    def call(self, q, k, v, mask=None):
        qs = self.fold_heads(self.qs_layer(q))
        ks = self.fold_heads(self.ks_layer(k))
        vs = self.fold_heads(self.vs_layer(v))
        attn = ops.matmul(qs, ops.transpose(ks, (0, 2, 1))) / math.sqrt(self.d_k)
        if mask is not None:
            mask = ops.repeat(mask, self.n_head, axis=0)
            attn = attn + (1.0 - mask) * -1e10
        attn = ops.softmax(attn, axis=-1)
        return self.w_o(self.unfold_heads(ops.matmul(attn, vs)))


def get_pad_mask(k_ids, len_q):
    """1 for words, 0 for <pad>: [batch, len_q, len_k]"""
    keep = ops.cast(ops.not_equal(k_ids, 0), "float32")
    return ops.repeat(keep[:, None, :], len_q, axis=1)
