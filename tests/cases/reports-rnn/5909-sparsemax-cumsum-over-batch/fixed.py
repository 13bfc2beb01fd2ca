import torch
import torch.nn as nn


def sparsemax(z):
    """Projection of each row onto the simplex (Martins & Astudillo, 2016)."""
    srt, _ = torch.sort(z, dim=-1, descending=True)
    k = torch.arange(1, z.size(-1) + 1, dtype=z.dtype, device=z.device)
    csum = torch.cumsum(srt, dim=-1)
    support = 1 + k * srt > csum
    k_z = support.sum(dim=-1, keepdim=True).clamp(min=1)
    tau = (csum.gather(-1, k_z - 1) - 1) / k_z
    return torch.clamp(z - tau, min=0)


class SparseAttentionTagger(nn.Module):
    """Sentiment of a review from the few words that matter."""

    def __init__(self, n_words, emb=64, hid=64, classes=5):
        super().__init__()
        self.emb = nn.Embedding(n_words, emb)
        self.gru = nn.GRU(emb, hid, batch_first=True, bidirectional=True)
        self.query = nn.Parameter(torch.randn(2 * hid) / (2 * hid) ** 0.5)
        self.out = nn.Linear(2 * hid, classes)

    def forward(self, ids):
        h, _ = self.gru(self.emb(ids))
        alpha = sparsemax(h @ self.query)
        pooled = torch.bmm(alpha.unsqueeze(1), h).squeeze(1)
        return self.out(pooled), alpha


if __name__ == "__main__":
    tagger = SparseAttentionTagger(800)
    logits, alpha = tagger(torch.randint(0, 800, (32, 50)))
    print(logits.shape, (alpha > 0).float().sum(1).mean())
