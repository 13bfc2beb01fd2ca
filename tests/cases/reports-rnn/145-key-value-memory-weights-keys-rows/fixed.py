import torch
import torch.nn as nn


class KeyValueMemory(nn.Module):
    """A learnt memory of n_slots keys and values shared by the batch."""

    def __init__(self, n_slots, key_dim, value_dim):
        super().__init__()
        self.keys = nn.Parameter(torch.randn(n_slots, key_dim))
        self.values = nn.Parameter(torch.randn(n_slots, value_dim))

    def forward(self, query):
        logits = query @ self.keys.t()
        weights = torch.softmax(logits, dim=-1)
        return weights @ self.values, weights


class MemoryReader(nn.Module):
    def __init__(self, vocab, emb, hidden, n_slots):
        super().__init__()
        self.embed = nn.Embedding(vocab, emb)
        self.controller = nn.GRU(emb, hidden, batch_first=True)
        self.memory = KeyValueMemory(n_slots, hidden, hidden)
        self.out = nn.Linear(2 * hidden, vocab)

    def forward(self, tokens):
        _, h = self.controller(self.embed(tokens))
        read, weights = self.memory(h[-1])
        return self.out(torch.cat([h[-1], read], dim=-1)), weights


if __name__ == "__main__":
    net = MemoryReader(vocab=40, emb=8, hidden=16, n_slots=10)
    print(net(torch.randint(0, 40, (3, 7)))[1].shape)
