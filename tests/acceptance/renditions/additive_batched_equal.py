import numpy as np


def softmax(x, axis):
    e = np.exp(x - x.max(axis=axis, keepdims=True))
    return e / e.sum(axis=axis, keepdims=True)


def additive_attention(decoder_state, encoder_states, W_a, U_a, v_a):
    batch_size, T_enc, d_h = encoder_states.shape
    projected_dec = (decoder_state @ W_a.T)[:, np.newaxis, :]  # (batch_size, 1, d_attn)
    projected_enc = encoder_states @ U_a.T  # (batch_size, T_enc, d_attn)
    scores = np.tanh(projected_dec + projected_enc) @ v_a  # (batch_size, T_enc)
    weights = softmax(scores, axis=-1)
    context = (weights[:, np.newaxis, :] @ encoder_states)[:, 0, :]
    assert weights.shape == (batch_size, T_enc)
    assert context.shape == (batch_size, d_h)
    return context, weights


if __name__ == "__main__":
    rng = np.random.default_rng(0)
    batch_size = T_enc = d_h = d_s = d_attn = 8
    decoder_state = rng.standard_normal((batch_size, d_s))
    encoder_states = rng.standard_normal((batch_size, T_enc, d_h))
    W_a = rng.standard_normal((d_attn, d_s))
    U_a = rng.standard_normal((d_attn, d_h))
    v_a = rng.standard_normal(d_attn)
    context, weights = additive_attention(decoder_state, encoder_states, W_a, U_a, v_a)
    print(context.shape, weights.shape)
