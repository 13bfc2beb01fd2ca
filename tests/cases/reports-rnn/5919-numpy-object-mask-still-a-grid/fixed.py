import numpy as np


class GuidedAttention:
    def __init__(self, d_question, d_image, d_att, rng):
        self.Wq = rng.normal(scale=d_question ** -0.5, size=(d_question, d_att))
        self.Wv = rng.normal(scale=d_image ** -0.5, size=(d_image, d_att))
        self.p = rng.normal(scale=d_att ** -0.5, size=d_att)

    def __call__(self, question, grid, object_mask):
        """
        question:    (B, d_question) final state of the question LSTM
        grid:        (B, h, w, d_image) CNN features
        object_mask: (B, h, w), True where a detected object is
        """
        B, h, w, d = grid.shape
        cells = grid.reshape(B, h * w, d)
        hidden = np.tanh(cells @ self.Wv + (question @ self.Wq)[:, None, :])
        scores = hidden @ self.p
        scores = np.where(object_mask.reshape(B, h * w), scores, -1e9)
        scores = scores - scores.max(axis=1, keepdims=True)
        alpha = np.exp(scores)
        alpha = alpha / alpha.sum(axis=1, keepdims=True)
        return np.einsum("bn,bnd->bd", alpha, cells), alpha.reshape(B, h, w)


def demo():
    rng = np.random.default_rng(0)
    att = GuidedAttention(20, 48, 32, rng)
    mask = rng.random((5, 7, 7)) > 0.4
    return att(rng.normal(size=(5, 20)), rng.normal(size=(5, 7, 7, 48)), mask)


if __name__ == "__main__":
    v, alpha = demo()
    print(v.shape, alpha.shape)
