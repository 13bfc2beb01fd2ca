import numpy as np


def softmax(x, axis=-1):
    x = x - x.max(axis=axis, keepdims=True)
    e = np.exp(x)
    return e / e.sum(axis=axis, keepdims=True)


def attention_layer(hidden, encoder_out, Wa):
    """
    hidden:      (batch, dec_units)
    encoder_out: (batch, steps, enc_units)
    Wa:          (dec_units, enc_units)
    """
    query = hidden @ Wa
    scores = np.einsum("bu,btu->bt", query, encoder_out)
    weights = softmax(scores)
    context = np.einsum("bt,btu->bu", weights, encoder_out)
    return context, weights


if __name__ == "__main__":
    rng = np.random.default_rng(0)
    c, w = attention_layer(rng.normal(size=(3, 4)), rng.normal(size=(3, 7, 5)), rng.normal(size=(4, 5)))
    print(c.shape, w.shape)
