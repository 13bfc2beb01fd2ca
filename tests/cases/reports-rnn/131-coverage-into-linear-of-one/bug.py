import torch
import torch.nn as nn
import torch.nn.functional as F


class CoverageAttention(nn.Module):
    def __init__(self, enc_dim, dec_dim, attn_dim):
        super().__init__()
        self.Wh = nn.Linear(enc_dim, attn_dim, bias=False)
        self.Ws = nn.Linear(dec_dim, attn_dim)
        self.wc = nn.Linear(1, attn_dim, bias=False)
        self.v = nn.Linear(attn_dim, 1, bias=False)

    def forward(self, s_t, enc_out, pad_mask, coverage):
        features = self.Wh(enc_out) + self.Ws(s_t).unsqueeze(1)
        features = features + self.wc(coverage)
        e = self.v(torch.tanh(features)).squeeze(2)
        e = e.masked_fill(pad_mask, -1e9)
        a = F.softmax(e, dim=1)
        context = torch.bmm(a.unsqueeze(1), enc_out).squeeze(1)
        coverage_loss = torch.min(a, coverage).sum(1).mean()
        return context, a, coverage + a, coverage_loss


if __name__ == "__main__":
    B, T = 3, 10
    attn = CoverageAttention(8, 6, 5)
    coverage = torch.zeros(B, T)
    for _ in range(2):
        ctx, a, coverage, loss = attn(torch.randn(B, 6), torch.randn(B, T, 8), torch.zeros(B, T, dtype=torch.bool), coverage)
    print(ctx.shape, loss.item())
