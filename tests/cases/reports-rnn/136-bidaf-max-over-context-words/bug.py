import torch
import torch.nn as nn
import torch.nn.functional as F


class AttentionFlow(nn.Module):
    """c2q and q2c attention between a passage and a question."""

    def __init__(self, d):
        super().__init__()
        self.W = nn.Linear(6 * d, 1, bias=False)
        self.modeling = nn.LSTM(8 * d, d, bidirectional=True, batch_first=True)

    def forward(self, ctx, query):
        N, T, D = ctx.shape
        J = query.size(1)
        ctx_ex = ctx.unsqueeze(2).expand(N, T, J, D)
        query_ex = query.unsqueeze(1).expand(N, T, J, D)
        S = self.W(torch.cat((ctx_ex, query_ex, ctx_ex * query_ex), 3)).view(N, T, J)

        c2q = torch.bmm(F.softmax(S, dim=-1), query)  # (N, T, 2d)
        b = F.softmax(torch.max(S, 1)[0], dim=-1)
        q2c = torch.bmm(b.unsqueeze(1), ctx)  # (N, 1, 2d)
        q2c = q2c.repeat(1, T, 1)

        G = torch.cat((ctx, c2q, ctx.mul(c2q), ctx.mul(q2c)), 2)
        M, _ = self.modeling(G)
        return M


if __name__ == "__main__":
    flow = AttentionFlow(d=5)
    print(flow(torch.randn(2, 12, 10), torch.randn(2, 7, 10)).shape)
