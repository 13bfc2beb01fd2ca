import torch
import torch.nn as nn


class MultiHeadPooling(nn.Module):
    """Every head has its own query and pools its own slice of the features."""

    def __init__(self, hidden, n_heads):
        super().__init__()
        assert hidden % n_heads == 0
        self.n_heads = n_heads
        self.d_head = hidden // n_heads
        self.queries = nn.Parameter(torch.randn(n_heads, self.d_head) * 0.1)

    def forward(self, states, mask):
        B, T, _ = states.shape
        heads = states.view(B, T, self.n_heads, self.d_head)
        scores = torch.einsum("bthd,hd->bth", heads, self.queries) / self.d_head ** 0.5
        scores = scores.masked_fill(~mask.unsqueeze(-1), -1e9)
        weights = scores.softmax(dim=1)
        pooled = torch.einsum("bth,bthd->bhd", weights, heads)
        return pooled.flatten(1), weights


class Tagger(nn.Module):
    def __init__(self, vocab, emb, hidden, n_heads, n_labels):
        super().__init__()
        self.emb = nn.Embedding(vocab, emb, padding_idx=0)
        self.lstm = nn.LSTM(emb, hidden, batch_first=True, bidirectional=True)
        self.pool = MultiHeadPooling(2 * hidden, n_heads)
        self.fc = nn.Linear(2 * hidden, n_labels)

    def forward(self, ids):
        states, _ = self.lstm(self.emb(ids))
        pooled, weights = self.pool(states, ids != 0)
        return self.fc(pooled), weights


if __name__ == "__main__":
    model = Tagger(vocab=200, emb=16, hidden=24, n_heads=4, n_labels=6)
    logits, weights = model(torch.randint(1, 200, (3, 11)))
    print(logits.shape, weights.shape)
