import numpy as np


def softmax(x, axis=-1):
    e = np.exp(x - x.max(axis=axis, keepdims=True))
    return e / e.sum(axis=axis, keepdims=True)


class AttentionRNN:
    def __init__(self, vocab, emb, hidden, rng):
        self.vocab = vocab
        self.E = rng.normal(size=(vocab, emb))
        self.W = rng.normal(scale=0.5, size=(emb + hidden, hidden))
        self.U = rng.normal(scale=0.5, size=(hidden, hidden))
        self.W_a = rng.normal(scale=0.5, size=(hidden, hidden))
        self.W_o = rng.normal(size=(2 * hidden, vocab))

    def step(self, words, state, context, memory):
        """words (k,), state and context (k, hidden), memory (time, hidden)"""
        x = np.concatenate([self.E[words], context], axis=1)
        state = np.tanh(x @ self.W + state @ self.U)
        weights = softmax(state @ self.W_a @ memory.T, axis=1)
        context = weights @ memory
        logits = np.concatenate([state, context], axis=1) @ self.W_o
        return np.log(softmax(logits, axis=1)), state, context


def beam_search(model, memory, start, steps, k=4):
    state = np.repeat(memory[-1:], k, axis=0)
    context = np.zeros_like(state)
    words = np.full(k, start)
    scores = np.full(k, -np.inf)
    scores[0] = 0.0
    sequences = np.zeros((k, 0), dtype=int)
    for _ in range(steps):
        log_probs, next_state, next_context = model.step(words, state, context, memory)
        total = (scores[:, None] + log_probs).ravel()
        best = np.argsort(-total)[:k]
        parents, words = best // model.vocab, best % model.vocab
        scores = total[best]
        sequences = np.concatenate([sequences[parents], words[:, None]], axis=1)
        state, context = next_state[parents], next_context[parents]
    return sequences, scores


if __name__ == "__main__":
    rng = np.random.default_rng(0)
    model = AttentionRNN(vocab=30, emb=8, hidden=12, rng=rng)
    sequences, scores = beam_search(model, np.tanh(rng.normal(size=(7, 12))), start=1, steps=5)
    print(sequences[0], scores[0])
