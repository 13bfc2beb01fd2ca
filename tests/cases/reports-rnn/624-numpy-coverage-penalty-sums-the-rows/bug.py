import numpy as np


def log_softmax(x):
    x = x - x.max(axis=-1, keepdims=True)
    return x - np.log(np.exp(x).sum(axis=-1, keepdims=True))


def attend(query, keys, lengths):
    """query (n, d), keys (n, source, d) -> weights (n, source)"""
    scores = np.einsum("nd,nsd->ns", query, keys)
    scores = np.where(np.arange(keys.shape[1]) < lengths[:, None], scores, -np.inf)
    return np.exp(log_softmax(scores))


def length_penalty(n_steps, alpha):
    return ((5.0 + n_steps) / 6.0) ** alpha


def coverage_penalty(attention, lengths, beta):
    """attention (n, target, source), the weights of all steps of each hypothesis (Wu et al. 2016)."""
    covered = attention.sum(axis=2)
    valid = np.arange(covered.shape[1]) < lengths[:, None]
    logs = np.log(np.minimum(np.maximum(covered, 1e-9), 1.0))
    return beta * np.where(valid, logs, 0.0).sum(axis=1)


def rescore(keys, lengths, states, log_probs, alpha=0.6, beta=0.2):
    """keys (n, source, d), states (n, target, d), log_probs (n, target)"""
    attention = np.stack([attend(states[:, t], keys, lengths) for t in range(states.shape[1])], axis=1)
    scores = log_probs.sum(axis=1) / length_penalty(log_probs.shape[1], alpha)
    return scores + coverage_penalty(attention, lengths, beta), attention


if __name__ == "__main__":
    rng = np.random.default_rng(3)
    n, source, target, d = 5, 8, 6, 16
    scores, _ = rescore(rng.normal(size=(n, source, d)), np.full(n, source), rng.normal(size=(n, target, d)),
                        np.log(rng.uniform(0.1, 0.9, size=(n, target))))
    print(scores.argmax(), scores)
