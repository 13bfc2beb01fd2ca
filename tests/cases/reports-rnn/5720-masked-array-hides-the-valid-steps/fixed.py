import numpy as np


def masked_softmax(scores, keep):
    s = np.ma.array(scores, mask=~np.broadcast_to(keep, scores.shape))
    e = np.ma.exp(s - s.max(axis=-1, keepdims=True))
    return (e / e.sum(axis=-1, keepdims=True)).filled(0.0)


class Listener:
    """Content based attention of a speech decoder over padded utterances."""

    def __init__(self, d_dec, d_enc, d_key, seed=0):
        rng = np.random.default_rng(seed)
        self.phi = rng.normal(0, d_dec ** -0.5, (d_dec, d_key))
        self.psi = rng.normal(0, d_enc ** -0.5, (d_enc, d_key))

    def precompute(self, frames, lengths):
        self.frames = frames
        self.keys = frames @ self.psi
        self.keep = np.arange(frames.shape[1]) < np.asarray(lengths)[:, None]

    def __call__(self, states):
        """states (B, L, d_dec): all steps of the teacher forced decoder"""
        query = states @ self.phi
        energy = query @ self.keys.transpose(0, 2, 1) / np.sqrt(query.shape[-1])
        weights = masked_softmax(energy, self.keep[:, None, :])
        return weights @ self.frames, weights


if __name__ == "__main__":
    rng = np.random.default_rng(5)
    listener = Listener(d_dec=24, d_enc=30, d_key=16)
    listener.precompute(rng.normal(size=(3, 14, 30)), [14, 9, 11])
    glimpse, weights = listener(rng.normal(size=(3, 6, 24)))
    print(glimpse.shape, weights.sum(-1))
