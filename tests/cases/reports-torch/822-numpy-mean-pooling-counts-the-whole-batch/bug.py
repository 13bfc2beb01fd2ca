import numpy as np


def softmax(x):
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


class SentenceEncoder:
    """Token embeddings, one self-attention layer, masked mean pooling."""

    def __init__(self, vocab_size, dim, seed=0):
        rng = np.random.default_rng(seed)
        self.dim = dim
        self.embed = rng.normal(0, 1, (vocab_size, dim))
        self.w_q, self.w_k, self.w_v = rng.normal(0, dim ** -0.5, (3, dim, dim))

    def hidden_states(self, input_ids, attention_mask):
        x = self.embed[input_ids]                                    # (B, T, D)
        q, k, v = x @ self.w_q, x @ self.w_k, x @ self.w_v
        scores = q @ k.transpose(0, 2, 1) / np.sqrt(self.dim)
        scores = np.where(attention_mask[:, None, :] > 0, scores, -1e9)
        return x + softmax(scores) @ v

    def encode(self, input_ids, attention_mask, pooling="mean"):
        hidden = self.hidden_states(input_ids, attention_mask)
        if pooling == "cls":
            return hidden[:, 0]
        if pooling == "mean":
            total = (hidden * attention_mask[:, :, None]).sum(axis=1)
            return total / attention_mask.sum()
        raise ValueError(pooling)


def pad_batch(sentences, pad_id=0):
    width = max(len(s) for s in sentences)
    ids = np.full((len(sentences), width), pad_id)
    mask = np.zeros((len(sentences), width))
    for row, s in enumerate(sentences):
        ids[row, :len(s)] = s
        mask[row, :len(s)] = 1
    return ids, mask


if __name__ == "__main__":
    encoder = SentenceEncoder(50, 16)
    ids, mask = pad_batch([[4, 8, 15], [16, 23, 42, 7, 9], [3]])
    print(encoder.encode(ids, mask).shape)
