import numpy as np


def softmax(x):
    e_x = np.exp(x - np.max(x, axis=-1, keepdims=True))
    return e_x / np.sum(e_x, axis=-1, keepdims=True)


def scaled_dot_product_attention(Q, K, V):
    """
    Q: (batch, n_q, d_k)
    K: (batch, n_k, d_k)
    V: (batch, n_k, d_v)
    """
    batch, n_k, d_k = K.shape
    K_t = K.reshape(batch, d_k, n_k)
    scores = np.matmul(Q, K_t) / np.sqrt(d_k)
    weights = softmax(scores)
    return np.matmul(weights, V), weights


if __name__ == "__main__":
    np.random.seed(0)
    batch, src_len, trg_len, d_model, d_k = 2, 7, 4, 24, 12
    encoder_states = np.random.randn(batch, src_len, d_model)
    decoder_states = np.random.randn(batch, trg_len, d_model)
    Wq = np.random.randn(d_model, d_k) * 0.1
    Wk = np.random.randn(d_model, d_k) * 0.1
    Wv = np.random.randn(d_model, d_k) * 0.1

    context, weights = scaled_dot_product_attention(
        decoder_states @ Wq, encoder_states @ Wk, encoder_states @ Wv)
    print("context", context.shape)
    print("weights", weights.shape, weights.sum(-1))
