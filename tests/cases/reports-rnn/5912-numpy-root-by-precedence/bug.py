import numpy as np


def softmax(x, axis=-1):
    x = x - x.max(axis=axis, keepdims=True)
    e = np.exp(x)
    return e / e.sum(axis=axis, keepdims=True)


def attend(queries, keys, values):
    """queries (B, T, d): the exercises to be answered; keys, values (B, T, d): the answers given so far."""
    T, d = queries.shape[1:]
    scores = queries @ keys.swapaxes(1, 2)
    scores = scores / d ** 1/2
    not_yet = np.triu(np.ones((T, T), dtype=bool), k=1)
    weights = softmax(np.where(not_yet, -np.inf, scores))
    return weights @ values, weights


def predict_correct(params, exercises, answers):
    n = params["exercise"].shape[0]
    asked = params["exercise"][exercises]
    # interaction embedding: exercise id shifted by n when the answer was right
    seen = params["interaction"][exercises + n * answers]
    seen = np.concatenate([np.zeros_like(seen[:, :1]), seen[:, :-1]], axis=1)
    mixed, _ = attend(asked @ params["Wq"], seen @ params["Wk"], seen @ params["Wv"])
    logit = np.maximum(mixed + asked, 0) @ params["w_out"]
    return 1 / (1 + np.exp(-logit))


if __name__ == "__main__":
    rng = np.random.default_rng(0)
    n, d = 120, 64
    params = {"exercise": rng.normal(size=(n, d)), "interaction": rng.normal(size=(2 * n, d)), "w_out": rng.normal(size=d) / 8}
    for name in ("Wq", "Wk", "Wv"):
        params[name] = rng.normal(size=(d, d)) / np.sqrt(d)
    print(predict_correct(params, rng.integers(0, n, (4, 30)), rng.integers(0, 2, (4, 30))).shape)
