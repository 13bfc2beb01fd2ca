import torch
import torch.nn as nn
import torch.nn.functional as F


class SentenceAttention(nn.Module):
    def __init__(self, word_dim, sent_dim, num_classes):
        super().__init__()
        self.gru = nn.GRU(2 * word_dim, sent_dim, bidirectional=True, batch_first=True)
        self.proj = nn.Linear(2 * sent_dim, 2 * sent_dim)
        self.context = nn.Linear(2 * sent_dim, 1, bias=False)
        self.fc = nn.Linear(2 * sent_dim, num_classes)

    def forward(self, sent_vectors):
        """sent_vectors: (batch_size, n_sents, 2 * word_dim)"""
        h, _ = self.gru(sent_vectors)
        u = torch.tanh(self.proj(h))
        a = F.softmax(self.context(u), dim=1)
        doc = (a * h).sum(dim=1)
        return self.fc(doc), a.squeeze(2)


if __name__ == "__main__":
    m = SentenceAttention(5, 6, 3)
    logits, a = m(torch.randn(4, 9, 10))
    print(logits.shape, a.sum(1))
