import numpy as np


def length_mask(lengths, maxlen):
    """True where there is a real word"""
    return np.arange(maxlen)[:, None] < lengths


def softmax(x):
    x = np.exp(x - x.max(axis=1, keepdims=True))
    return x / x.sum(axis=1, keepdims=True)


def attention_pool(h, lengths, W, b, u):
    """h (N, T, H) -> (N, H)"""
    e = np.tanh(h @ W + b) @ u
    e = np.where(length_mask(lengths, h.shape[1]), e, -np.inf)
    a = softmax(e)
    return np.einsum('nt,nth->nh', a, h), a


def han(words, sent_lengths, doc_lengths, word_params, sent_params):
    # words (docs, sents, words, H): outputs of the word GRU
    D, S, T, H = words.shape
    flat = words.reshape(D * S, T, H)
    sents, _ = attention_pool(flat, np.maximum(sent_lengths.reshape(-1), 1), *word_params)
    docs, a = attention_pool(sents.reshape(D, S, H), doc_lengths, *sent_params)
    return docs, a


if __name__ == '__main__':
    rng = np.random.RandomState(0)
    H, A = 20, 15

    def params():
        return rng.randn(H, A) * 0.1, np.zeros(A), rng.randn(A)

    words = rng.randn(4, 6, 9, H)
    sent_lengths = rng.randint(1, 10, size=(4, 6))
    docs, a = han(words, sent_lengths, np.array([6, 3, 5, 2]), params(), params())
    print(docs.shape, a.round(2))
