import torch
import torch.nn as nn
import torch.nn.functional as F


class AoAReader(nn.Module):
    def __init__(self, vocab_size, embed_dim, hidden_dim):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embed_dim, padding_idx=0)
        self.doc_gru = nn.GRU(embed_dim, hidden_dim, bidirectional=True, batch_first=True)
        self.query_gru = nn.GRU(embed_dim, hidden_dim, bidirectional=True, batch_first=True)

    def attend(self, doc, query):
        # pairwise matching score of every document and every query word
        M = torch.bmm(doc, query.transpose(1, 2))
        alpha = F.softmax(M, dim=1)
        beta = F.softmax(M, dim=2)
        beta = beta.mean(dim=1, keepdim=True)
        return torch.bmm(alpha, beta.transpose(1, 2)).squeeze(2)

    def forward(self, doc_ids, query_ids):
        doc, _ = self.doc_gru(self.embedding(doc_ids))
        query, _ = self.query_gru(self.embedding(query_ids))
        s = self.attend(doc, query)
        probs = s.new_zeros(s.size(0), self.embedding.num_embeddings)
        return probs.scatter_add(1, doc_ids, s)


if __name__ == "__main__":
    reader = AoAReader(100, 8, 6)
    probs = reader(torch.randint(1, 100, (2, 30)), torch.randint(1, 100, (2, 7)))
    print(probs.shape, probs.sum(dim=1))
