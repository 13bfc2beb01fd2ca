import numpy as np


def cosine_scores(query, passages):
    """query (d,), passages (n, d) -> (n,)"""
    q = query / np.linalg.norm(query)
    p = passages / np.linalg.norm(passages, axis=1, keepdims=True)
    return p @ q


def soft_select(query, passages, temperature=0.05):
    s = cosine_scores(query, passages) / temperature
    w = np.exp(s - s.max())
    return w / w.sum()


def fuse(query, passages, top_k=5):
    """Attention-weighted evidence vector over the best passages."""
    w = soft_select(query, passages)
    best = np.argsort(-w)[:top_k]
    w_best = w[best] / w[best].sum()
    return w_best @ passages[best], best


if __name__ == "__main__":
    rng = np.random.default_rng(11)
    lengths = rng.uniform(0.3, 3.0, size=(500, 1))
    passages = rng.normal(size=(500, 128)) * lengths
    question = passages[42] / 2 + 0.1 * rng.normal(size=128)
    evidence, best = fuse(question, passages)
    print(best, evidence.shape)
