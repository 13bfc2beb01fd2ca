import torch
import torch.nn as nn


class SelfAttnPooling(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.attention = nn.Sequential(
            nn.Linear(dim, 64),
            nn.Tanh(),
            nn.Linear(64, 1),
        )

    def forward(self, hidden_states, mask):
        scores = self.attention(hidden_states).squeeze(-1)
        scores = scores.masked_fill(~mask, -1e9)
        weights = torch.softmax(scores, dim=-1)
        pooled = torch.sum(weights.unsqueeze(-1) * hidden_states, dim=1)
        return pooled, weights


class ReviewModel(nn.Module):
    def __init__(self, vocab_size, emb_dim=64, hidden_dim=48, pad_idx=0):
        super().__init__()
        self.pad_idx = pad_idx
        self.embedding = nn.Embedding(vocab_size, emb_dim, padding_idx=pad_idx)
        self.gru = nn.GRU(emb_dim, hidden_dim, batch_first=True, bidirectional=True)
        self.pooling = SelfAttnPooling(hidden_dim * 2)
        self.head = nn.Linear(hidden_dim * 2, 1)

    def forward(self, input_ids):
        mask = input_ids != self.pad_idx
        hidden_states, _ = self.gru(self.embedding(input_ids))
        pooled, weights = self.pooling(hidden_states, mask)
        return self.head(pooled).squeeze(-1), weights


if __name__ == "__main__":
    batch = torch.tensor([[5, 8, 2, 9, 0, 0], [3, 1, 0, 0, 0, 0], [7, 7, 6, 4, 2, 0]])
    logits, weights = ReviewModel(10)(batch)
    print(torch.sigmoid(logits), weights)
