import numpy as np


def softmax(x):
    e_x = np.exp(x - np.max(x, axis=-1, keepdims=True))
    return e_x / np.sum(e_x, axis=-1, keepdims=True)


def scaled_dot_product_attention(query, key, value):
    """
    query: (batch, target length, depth)
    key, value: (batch, source length, depth)
    """
    d_k = query.shape[-1]
    scores = np.matmul(query, key.transpose(0, 2, 1)) / np.sqrt(d_k)
    weights = softmax(scores)
    return np.matmul(weights, value), weights


class CrossAttention:
    def __init__(self, d_dec, d_enc, d_k):
        rng = np.random.default_rng(0)
        self.W_q = rng.normal(size=(d_dec, d_k)) * 0.1
        self.W_k = rng.normal(size=(d_enc, d_k)) * 0.1
        self.W_v = rng.normal(size=(d_enc, d_k)) * 0.1

    def __call__(self, decoder_states, encoder_states):
        q = np.dot(decoder_states, self.W_q)
        k = np.dot(encoder_states, self.W_k)
        v = np.dot(encoder_states, self.W_v)
        return scaled_dot_product_attention(q, k, v)


if __name__ == "__main__":
    rng = np.random.default_rng(1)
    decoder_states = rng.normal(size=(2, 5, 24))
    encoder_states = rng.normal(size=(2, 7, 32))
    context, weights = CrossAttention(24, 32, 16)(decoder_states, encoder_states)
    print(context.shape, weights.shape)
