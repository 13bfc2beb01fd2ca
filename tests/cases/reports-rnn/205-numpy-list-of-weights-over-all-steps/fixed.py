import numpy as np


def softmax(z, axis):
    z = np.exp(z - z.max(axis=axis, keepdims=True))
    return z / z.sum(axis=axis, keepdims=True)


def attend_all(dec_states, enc_states, Wa):
    """dec_states (T_dec, d_s), enc_states (T_enc, d_h), Wa (d_s, d_h)"""
    scores = dec_states.dot(Wa).dot(enc_states.T)
    alignment = softmax(scores, axis=1)
    return alignment.dot(enc_states), alignment


def attentional(dec_states, enc_states, Wa, Wc):
    c, alignment = attend_all(dec_states, enc_states, Wa)
    return np.tanh(np.hstack([c, dec_states]).dot(Wc)), alignment
