import numpy as np


def auto_correlation(q, k):
    """q, k: (batch, length, heads, channels) -> mean correlation per time lag, (batch, length)"""
    length = q.shape[1]
    spec_q = np.fft.rfft(q, axis=1)
    spec_k = np.fft.rfft(k, axis=1)
    corr = np.fft.irfft(spec_q * np.conj(spec_k), n=length)
    return corr.mean(axis=(2, 3))


def time_delay_aggregation(v, corr, factor=2):
    B, L = v.shape[:2]
    top = int(factor * np.log(L))
    out = np.zeros_like(v)
    for b in range(B):
        lags = np.argsort(-corr[b])[:top]
        w = np.exp(corr[b, lags] - corr[b, lags].max())
        w /= w.sum()
        for weight, lag in zip(w, lags):
            out[b] += weight * np.roll(v[b], -int(lag), axis=0)
    return out


def series_attention(x, Wq, Wk, Wv, heads):
    B, L, D = x.shape
    q, k, v = ((x @ W).reshape(B, L, heads, D // heads) for W in (Wq, Wk, Wv))
    return time_delay_aggregation(v, auto_correlation(q, k)).reshape(B, L, D)


if __name__ == "__main__":
    rng = np.random.default_rng(0)
    load = np.sin(np.arange(96) * 2 * np.pi / 24)[None, :, None] + 0.1 * rng.normal(size=(4, 96, 32))
    W = [rng.normal(size=(32, 32)) / np.sqrt(32) for _ in range(3)]
    print(series_attention(load, *W, heads=4).shape)
