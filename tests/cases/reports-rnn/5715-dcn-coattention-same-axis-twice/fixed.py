import torch
import torch.nn as nn


class CoattentionEncoder(nn.Module):
    def __init__(self, n_words, emb_dim, hidden):
        super().__init__()
        self.emb = nn.Embedding(n_words, emb_dim)
        self.lstm = nn.LSTM(emb_dim, hidden, batch_first=True)
        self.q_proj = nn.Linear(hidden, hidden)
        self.sentinel_d = nn.Parameter(torch.rand(hidden))
        self.sentinel_q = nn.Parameter(torch.rand(hidden))
        self.fusion = nn.LSTM(3 * hidden, hidden, batch_first=True, bidirectional=True)

    def encode(self, ids, sentinel):
        out, _ = self.lstm(self.emb(ids))
        return torch.cat([out, sentinel.expand(ids.size(0), 1, -1)], dim=1)

    def coattend(self, D, Q):
        L = torch.bmm(D, Q.transpose(1, 2))                     # B x (m+1) x (n+1)
        A_Q = torch.softmax(L, dim=1)                           # B x (m+1) x (n+1)
        A_D = torch.softmax(L.transpose(1, 2), dim=1)           # B x (n+1) x (m+1)
        C_Q = torch.bmm(A_Q.transpose(1, 2), D)                 # B x (n+1) x h
        return torch.bmm(A_D.transpose(1, 2), torch.cat([Q, C_Q], dim=2))

    def forward(self, doc, question):
        D = self.encode(doc, self.sentinel_d)
        Q = torch.tanh(self.q_proj(self.encode(question, self.sentinel_q)))
        C_D = self.coattend(D, Q)                               # B x (m+1) x 2h
        U, _ = self.fusion(torch.cat([D, C_D], dim=2))
        return U[:, :-1]


if __name__ == "__main__":
    enc = CoattentionEncoder(200, 30, 40)
    print(enc(torch.randint(0, 200, (3, 25)), torch.randint(0, 200, (3, 8))).shape)
