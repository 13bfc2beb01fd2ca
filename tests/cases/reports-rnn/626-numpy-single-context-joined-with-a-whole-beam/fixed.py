import numpy as np


def sigmoid(x):
    return 1.0 / (1.0 + np.exp(-x))


class AttentionDecoder:
    def __init__(self, vocab, emb, hidden, seed=0):
        rng = np.random.default_rng(seed)
        init = lambda *shape: rng.normal(scale=0.2, size=shape)
        self.hidden = hidden
        self.E = init(vocab, emb)
        self.W_x, self.W_lstm = init(emb + hidden, emb), init(emb + hidden, 4 * hidden)
        self.W_h, self.W_s, self.v = init(hidden, hidden), init(hidden, hidden), init(hidden)
        self.W_o = init(2 * hidden, vocab)

    def step(self, words, h, c, context, memory):
        """words (n,); h, c and context (n, hidden); memory (time, hidden) of the one sentence that is decoded"""
        x = np.concatenate([self.E[words], context], axis=1) @ self.W_x
        i, f, o, g = np.split(np.concatenate([x, h], axis=1) @ self.W_lstm, 4, axis=1)
        c = sigmoid(f) * c + sigmoid(i) * np.tanh(g)
        h = sigmoid(o) * np.tanh(c)
        e = np.tanh(memory @ self.W_h + (h @ self.W_s)[:, None, :]) @ self.v      # (n, time)
        a = np.exp(e - e.max(axis=1, keepdims=True))
        a /= a.sum(axis=1, keepdims=True)
        context = a @ memory
        logits = np.concatenate([h, context], axis=1) @ self.W_o
        return logits - np.log(np.exp(logits).sum(axis=1, keepdims=True)), h, c, context


def decode(model, memory, start, beam_size, max_len):
    h, c = np.zeros((beam_size, model.hidden)), np.zeros((beam_size, model.hidden))
    context = np.zeros((beam_size, model.hidden))
    words, scores, vocab = np.full(beam_size, start), np.zeros(beam_size), model.E.shape[0]
    out = []
    for t in range(max_len):
        log_probs, h, c, context = model.step(words, h, c, context, memory)
        total = log_probs[0] if t == 0 else (scores[:, None] + log_probs).ravel()
        best = np.argsort(-total)[:beam_size]
        parents, words, scores = best // vocab, best % vocab, total[best]
        h, c, context = h[parents], c[parents], context[parents]
        out.append((parents, words))
    return out, scores


if __name__ == "__main__":
    model = AttentionDecoder(vocab=200, emb=24, hidden=32)
    steps, scores = decode(model, np.random.default_rng(1).normal(size=(17, 32)), start=2, beam_size=50, max_len=6)
    print(len(steps), scores[:3])
