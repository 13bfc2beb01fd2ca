import numpy as np


def additive_attention(decoder_state, encoder_states, W_a, U_a, v_a):
    """Returns the context vector and the attention weights."""
    query = W_a @ decoder_state
    keys = encoder_states @ U_a.T
    e = np.tanh(keys + query) @ v_a
    alpha = np.exp(e) / np.sum(np.exp(e))
    c = alpha @ encoder_states
    return c, alpha


if __name__ == "__main__":
    T_enc, d_h, d_s, d_attn = 7, 5, 4, 3
    H = np.random.rand(T_enc, d_h)
    s = np.random.rand(d_s)
    c, alpha = additive_attention(
        s, H, np.random.rand(d_attn, d_s), np.random.rand(d_attn, d_h), np.random.rand(d_attn)
    )
    print(c, alpha)
