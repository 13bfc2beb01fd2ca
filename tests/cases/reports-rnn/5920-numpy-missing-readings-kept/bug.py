import numpy as np


def time_kernel(t_query, t_obs, freqs, phase):
    fq = np.sin(t_query[..., None] * freqs + phase)
    fk = np.sin(t_obs[..., None] * freqs + phase)
    return fq @ np.swapaxes(fk, -1, -2) / np.sqrt(len(freqs))


def impute(times, readings, freqs, phase):
    """Attention over time stamps for irregularly sampled vitals.

    times (B, T), readings (B, T, V) with nan where a value was not measured.
    Returns the readings with the gaps filled.
    """
    missing = np.isnan(readings)
    values = np.where(missing, 0.0, readings)

    kernel = time_kernel(times, times, freqs, phase)
    filled = np.empty_like(values)
    for v in range(readings.shape[-1]):
        gap = missing[:, :, v]
        scores = np.where(gap[:, None, :], kernel, -1e9)
        scores -= scores.max(axis=-1, keepdims=True)
        w = np.exp(scores)
        w /= w.sum(axis=-1, keepdims=True)
        estimate = np.einsum("bts,bs->bt", w, values[:, :, v])
        filled[:, :, v] = np.where(gap, estimate, values[:, :, v])
    return filled


if __name__ == "__main__":
    rng = np.random.default_rng(0)
    times = np.sort(rng.uniform(0, 48, size=(6, 40)), axis=1)
    vitals = rng.normal(loc=80, scale=5, size=(6, 40, 4))
    vitals[rng.random(vitals.shape) < 0.3] = np.nan
    out = impute(times, vitals, freqs=rng.uniform(0.1, 1, 16), phase=rng.uniform(0, 6, 16))
    print(out.shape, np.isnan(out).any())
