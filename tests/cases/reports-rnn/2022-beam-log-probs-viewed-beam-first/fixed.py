import torch
import torch.nn.functional as F


def attention_step(query, memory):
    """query (N, H), memory (N, T, H)"""
    scores = torch.bmm(memory, query.unsqueeze(2)).squeeze(2)
    alpha = F.softmax(scores, dim=1)
    return torch.bmm(alpha.unsqueeze(1), memory).squeeze(1), alpha


class BeamDecoder:
    def __init__(self, embedding, cell, out, beam_size):
        self.embedding = embedding
        self.cell = cell
        self.out = out
        self.beam_size = beam_size

    def start(self, memory, hidden):
        # rows: b0k0 b0k1 ... b1k0 b1k1 ...
        k = self.beam_size
        return memory.repeat_interleave(k, dim=0), hidden.repeat_interleave(k, dim=0)

    def step(self, words, hidden, memory, beam_scores):
        batch_size, k = beam_scores.shape
        hidden = self.cell(self.embedding(words), hidden)
        context, _ = attention_step(hidden, memory)
        log_probs = F.log_softmax(self.out(torch.cat([hidden, context], dim=1)), dim=1)
        log_probs = log_probs.view(batch_size, k, -1)
        # best k continuations of every sentence
        total = beam_scores.unsqueeze(2) + log_probs
        best, index = total.reshape(batch_size, -1).topk(k, dim=1)
        vocab_size = log_probs.size(2)
        return best, index // vocab_size, index % vocab_size, hidden
