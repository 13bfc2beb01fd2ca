import torch
import torch.nn as nn


class AttentionClassifier(nn.Module):
    """
    Embedding -> BiGRU -> attention pooling -> linear.
    """
    PAD = 0

    def __init__(self, vocab_size, emb_dim, hidden_dim, n_classes):
        super().__init__()
        self.emb = nn.Embedding(vocab_size, emb_dim, padding_idx=self.PAD)
        self.gru = nn.GRU(emb_dim, hidden_dim, batch_first=True, bidirectional=True)
        self.att = nn.Linear(2 * hidden_dim, 1)
        self.out = nn.Linear(2 * hidden_dim, n_classes)

    def forward(self, tokens):
        not_pad = tokens.ne(self.PAD)
        states, _ = self.gru(self.emb(tokens))
        scores = self.att(states).squeeze(-1)
        scores = scores.masked_fill(~not_pad, -1e9)
        alpha = torch.softmax(scores, dim=-1)
        pooled = torch.einsum('bt,btd->bd', alpha, states)
        return self.out(pooled), alpha


if __name__ == '__main__':
    clf = AttentionClassifier(50, 8, 6, 2)
    toks = torch.tensor([[4, 9, 2, 0, 0], [7, 7, 1, 3, 5]])
    print(clf(toks)[1])
