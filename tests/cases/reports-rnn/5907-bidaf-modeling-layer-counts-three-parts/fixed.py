import torch
import torch.nn as nn


class FlowReader(nn.Module):
    """Context/question matching, then a modelling LSTM and start/end scores."""

    def __init__(self, emb, hidden):
        super().__init__()
        d = 2 * hidden
        self.ctx_rnn = nn.LSTM(emb, hidden, batch_first=True, bidirectional=True)
        self.sim = nn.Linear(3 * d, 1, bias=False)
        self.model_rnn = nn.LSTM(4 * d, hidden, num_layers=2, batch_first=True, bidirectional=True)
        self.start = nn.Linear(5 * d, 1)
        self.end = nn.Linear(5 * d, 1)

    def similarity(self, c, q):
        n, m = c.size(1), q.size(1)
        cc = c.unsqueeze(2).expand(-1, -1, m, -1)
        qq = q.unsqueeze(1).expand(-1, n, -1, -1)
        return self.sim(torch.cat([cc, qq, cc * qq], dim=-1)).squeeze(-1)

    def forward(self, context, question):
        c, _ = self.ctx_rnn(context)
        q, _ = self.ctx_rnn(question)
        s = self.similarity(c, q)
        c2q = s.softmax(dim=2) @ q
        b = s.max(dim=2).values.softmax(dim=1)
        q2c = (b.unsqueeze(1) @ c).expand_as(c)
        g = torch.cat([c, c2q, c * c2q, c * q2c], dim=-1)
        m, _ = self.model_rnn(g)
        gm = torch.cat([g, m], dim=-1)
        return self.start(gm).squeeze(-1), self.end(gm).squeeze(-1)
