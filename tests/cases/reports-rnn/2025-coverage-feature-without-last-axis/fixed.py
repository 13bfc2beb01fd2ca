import torch
import torch.nn as nn
import torch.nn.functional as F


class CoverageAttention(nn.Module):
    """Attention of the pointer-generator (See et al., 2017) with coverage."""

    def __init__(self, hidden_dim):
        super().__init__()
        self.W_h = nn.Linear(hidden_dim * 2, hidden_dim * 2, bias=False)
        self.W_s = nn.Linear(hidden_dim * 2, hidden_dim * 2)
        self.W_c = nn.Linear(1, hidden_dim * 2, bias=False)
        self.v = nn.Linear(hidden_dim * 2, 1, bias=False)

    def forward(self, s_t, encoder_outputs, enc_padding_mask, coverage=None):
        att_features = self.W_h(encoder_outputs) + self.W_s(s_t).unsqueeze(1)
        if coverage is not None:
            att_features = att_features + self.W_c(coverage.unsqueeze(2))
        scores = self.v(torch.tanh(att_features)).squeeze(2)
        attn_dist = F.softmax(scores, dim=1) * enc_padding_mask
        attn_dist = attn_dist / attn_dist.sum(1, keepdim=True)
        c_t = torch.bmm(attn_dist.unsqueeze(1), encoder_outputs).squeeze(1)
        if coverage is not None:
            coverage = coverage + attn_dist
        return c_t, attn_dist, coverage


if __name__ == "__main__":
    attention = CoverageAttention(16)
    encoder_outputs = torch.randn(4, 12, 32)
    enc_padding_mask = torch.ones(4, 12)
    coverage = torch.zeros(4, 12)
    s_t = torch.cat((torch.randn(4, 16), torch.randn(4, 16)), 1)
    cov_loss = 0
    for step in range(3):
        c_t, attn_dist, next_coverage = attention(s_t, encoder_outputs, enc_padding_mask, coverage)
        cov_loss = cov_loss + torch.min(attn_dist, coverage).sum(1)
        coverage = next_coverage
    print(c_t.shape, cov_loss)
