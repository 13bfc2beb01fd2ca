"""Scaled dot-product attention (Vaswani et al., 2017) with heads and an optional mask, in Keras."""

import keras
from keras import ops


def scaled_dot_product_attention(query, key, value, mask=None):
    """Attend with every query over all keys.

    Args:
        query: (B, n_heads, T_dec, d_k)
        key: (B, n_heads, T_enc, d_k)
        value: (B, n_heads, T_enc, d_v)
        mask: (B, T_enc), True where a key may be attended to

    Returns:
        output (B, n_heads, T_dec, d_v) and weights (B, n_heads, T_dec, T_enc)
    """
    d_k = query.shape[-1]
    scores = ops.matmul(query, ops.transpose(key, (0, 1, 3, 2))) / d_k**0.5
    if mask is not None:
        scores = ops.where(ops.expand_dims(mask, (1, 2)), scores, -1e9)
    weights = ops.softmax(scores, axis=-2)
    output = ops.matmul(weights, value)
    return output, weights


if __name__ == "__main__":
    B, n_heads, T_dec, T_enc, d_k, d_v = 2, 7, 3, 5, 4, 6
    query = keras.random.normal((B, n_heads, T_dec, d_k), seed=0)
    key = keras.random.normal((B, n_heads, T_enc, d_k), seed=1)
    value = keras.random.normal((B, n_heads, T_enc, d_v), seed=2)
    mask = ops.arange(T_enc)[None, :] < ops.array([5, 3])[:, None]
    output, weights = scaled_dot_product_attention(query, key, value, mask)
    print("second sequence, of length 3, first head:", ops.convert_to_numpy(weights)[1, 0].tolist())
    print("output", output.shape)
