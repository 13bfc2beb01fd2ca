import torch
import torch.nn as nn
import torch.nn.functional as F


class AttentionFlow(nn.Module):
    """Attention flow layer of BiDAF (Seo et al.)"""

    def __init__(self, hidden):
        super().__init__()
        self.w_c = nn.Linear(hidden, 1, bias=False)
        self.w_q = nn.Linear(hidden, 1, bias=False)
        self.w_cq = nn.Parameter(torch.randn(hidden) * 0.1)

    def similarity(self, c, q):
        s0 = self.w_c(c)
        s1 = self.w_q(q).transpose(1, 2)
        s2 = torch.matmul(c * self.w_cq, q.transpose(1, 2))
        return s0 + s1 + s2

    def forward(self, c, q, q_mask):
        c_len = c.size(1)
        s = self.similarity(c, q)
        s = s.masked_fill(~q_mask[:, None, :], -1e30)

        # context to query
        a = F.softmax(s, dim=2)
        c2q = torch.bmm(a, q)

        # query to context
        b = F.softmax(s.max(dim=2)[0], dim=1).unsqueeze(1)
        q2c = torch.bmm(b, c).expand(-1, c_len, -1)

        return torch.cat([c, c2q, c * c2q, c * q2c], dim=-1)


class Reader(nn.Module):
    def __init__(self, vocab, emb, hidden):
        super().__init__()
        self.emb = nn.Embedding(vocab, emb, padding_idx=0)
        self.contextual = nn.LSTM(emb, hidden, bidirectional=True, batch_first=True)
        self.flow = AttentionFlow(2 * hidden)
        self.modeling = nn.LSTM(8 * hidden, hidden, bidirectional=True, batch_first=True)
        self.start = nn.Linear(2 * hidden, 1)

    def forward(self, passage, question):
        c, _ = self.contextual(self.emb(passage))
        q, _ = self.contextual(self.emb(question))
        g = self.flow(c, q, question != 0)
        m, _ = self.modeling(g)
        return self.start(m).squeeze(-1)
