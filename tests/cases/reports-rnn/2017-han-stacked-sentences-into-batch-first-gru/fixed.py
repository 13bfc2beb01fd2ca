import torch
import torch.nn as nn
import torch.nn.functional as F


class AttentionWithContext(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.proj = nn.Linear(dim, dim)
        self.context = nn.Parameter(torch.randn(dim) * 0.1)

    def forward(self, h):
        u = torch.tanh(self.proj(h))
        a = F.softmax(u.matmul(self.context), dim=1)
        return (a.unsqueeze(2) * h).sum(1)


class HierAttNet(nn.Module):
    """Yang et al. 2016, documents are (batch, n_sents, n_words)"""

    def __init__(self, vocab_size, emb=40, word_hidden=16, sent_hidden=16, n_classes=5):
        super().__init__()
        self.emb = nn.Embedding(vocab_size, emb)
        self.word_gru = nn.GRU(emb, word_hidden, bidirectional=True, batch_first=True)
        self.word_att = AttentionWithContext(2 * word_hidden)
        self.sent_gru = nn.GRU(2 * word_hidden, sent_hidden, bidirectional=True, batch_first=True)
        self.sent_att = AttentionWithContext(2 * sent_hidden)
        self.classifier = nn.Linear(2 * sent_hidden, n_classes)

    def forward(self, docs):
        sent_vectors = []
        for sent in docs.permute(1, 0, 2):
            h, _ = self.word_gru(self.emb(sent))
            sent_vectors.append(self.word_att(h))
        sents = torch.stack(sent_vectors, dim=1)
        h, _ = self.sent_gru(sents)
        return h, self.sent_att(h)

    def predict(self, docs):
        return self.classifier(self.forward(docs)[1]).argmax(-1)
