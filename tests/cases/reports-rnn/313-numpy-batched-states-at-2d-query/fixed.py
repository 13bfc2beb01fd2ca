import numpy as np

rng = np.random.default_rng(42)


def softmax(x, axis=-1):
    x = np.exp(x - x.max(axis=axis, keepdims=True))
    return x / x.sum(axis=axis, keepdims=True)


def gru_cell(x, h, p):
    z = 1 / (1 + np.exp(-(x @ p['Wz'] + h @ p['Uz'])))
    r = 1 / (1 + np.exp(-(x @ p['Wr'] + h @ p['Ur'])))
    n = np.tanh(x @ p['Wn'] + (r * h) @ p['Un'])
    return (1 - z) * n + z * h


def decode_step(x, s, H, p):
    s = gru_cell(x, s, p)
    q = s @ p['Wa']                      # general score
    a = softmax((H @ q[:, :, None])[:, :, 0])
    c = (a[:, :, None] * H).sum(1)
    return s, np.tanh(np.concatenate([c, s], 1) @ p['Wc']), a


batch, T, d_in, d_dec, d_enc = 5, 11, 8, 16, 24
p = {k: rng.normal(size=(d_in, d_dec)) * .1 for k in ('Wz', 'Wr', 'Wn')}
p.update({k: rng.normal(size=(d_dec, d_dec)) * .1 for k in ('Uz', 'Ur', 'Un')})
p['Wa'] = rng.normal(size=(d_dec, d_enc))
p['Wc'] = rng.normal(size=(d_enc + d_dec, d_dec))

H = rng.normal(size=(batch, T, d_enc))
s = np.zeros((batch, d_dec))
for t in range(4):
    s, out, a = decode_step(rng.normal(size=(batch, d_in)), s, H, p)
    print(t, a.argmax(1))
