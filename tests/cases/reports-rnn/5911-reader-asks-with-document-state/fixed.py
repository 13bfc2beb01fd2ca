import torch
import torch.nn as nn


def both(h):
    return torch.cat((h[0], h[1]), dim=-1)


class ClozeReader(nn.Module):
    def __init__(self, vocab, emb, hid, n_entities):
        super().__init__()
        self.embed = nn.Embedding(vocab, emb)
        self.doc_gru = nn.GRU(emb, hid, batch_first=True, bidirectional=True)
        self.que_gru = nn.GRU(emb, hid, batch_first=True, bidirectional=True)
        self.bilinear = nn.Linear(2 * hid, 2 * hid, bias=False)
        self.answer = nn.Linear(2 * hid, n_entities)

    def forward(self, document, question):
        d_out, d_h = self.doc_gru(self.embed(document))
        q_out, q_h = self.que_gru(self.embed(question))
        q = self.bilinear(both(q_h))
        alpha = torch.softmax(torch.einsum("bh,bth->bt", q, d_out), dim=-1)
        o = torch.einsum("bt,bth->bh", alpha, d_out)
        return self.answer(o), alpha


if __name__ == "__main__":
    reader = ClozeReader(3000, 50, 64, 25)
    docs = torch.randint(0, 3000, (8, 200))
    questions = torch.randint(0, 3000, (8, 18))
    scores, alpha = reader(docs, questions)
    print(scores.shape, alpha.sum(1))
