import numpy as np


def softmax(x):
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def bahdanau_attention(encoder_states, s_prev, W_dec, W_enc, v):
    """
    Parameters
    ----------
    encoder_states : ndarray, shape (T, d_h)
    s_prev : ndarray, shape (d_s,)
    W_dec : ndarray, shape (d_a, d_s)
    W_enc : ndarray, shape (d_a, d_h)
    v : ndarray, shape (d_a,)
    """
    dec = W_dec @ s_prev
    enc = encoder_states @ W_enc.T
    energy = np.tanh(dec + enc) @ v
    alpha = softmax(energy)
    return alpha @ encoder_states, alpha


if __name__ == "__main__":
    T, d_h, d_s, d_a = 6, 8, 8, 8
    r = np.random.default_rng(0)
    ctx, alpha = bahdanau_attention(r.normal(size=(T, d_h)), r.normal(size=d_s), r.normal(size=(d_a, d_s)),
                                    r.normal(size=(d_a, d_h)), r.normal(size=d_a))
    print(ctx.shape, alpha.sum())
