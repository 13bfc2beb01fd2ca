import torch
import torch.nn as nn


class AttentionPool(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.mlp = nn.Linear(dim, dim)
        self.context = nn.Linear(dim, 1, bias=False)

    def forward(self, h):
        u = torch.tanh(self.mlp(h))
        alpha = torch.softmax(self.context(u), dim=1)
        return (alpha * h).sum(dim=1)


class HierAttNet(nn.Module):
    """Hierarchical Attention Network for document classification (Yang et al., 2016)."""

    def __init__(self, vocab_size, emb_size, word_hidden, sent_hidden, num_classes):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, emb_size, padding_idx=0)
        self.word_gru = nn.GRU(emb_size, word_hidden, bidirectional=True, batch_first=True)
        self.word_att = AttentionPool(2 * word_hidden)
        self.sent_gru = nn.GRU(2 * word_hidden, sent_hidden, bidirectional=True, batch_first=True)
        self.sent_att = AttentionPool(2 * sent_hidden)
        self.fc = nn.Linear(2 * sent_hidden, num_classes)

    def encode_sentences(self, docs):
        # docs: (batch, sentences, words)
        batch_size, num_sents, num_words = docs.shape
        sents = docs.permute(1, 0, 2).reshape(-1, num_words)
        word_states, _ = self.word_gru(self.embedding(sents))
        sent_vecs = self.word_att(word_states)
        return sent_vecs.view(num_sents, batch_size, -1).transpose(0, 1)

    def forward(self, docs):
        sent_states, _ = self.sent_gru(self.encode_sentences(docs))
        return self.fc(self.sent_att(sent_states))
