import torch
import torch.nn as nn
import torch.nn.functional as F


class CoverageAttention(nn.Module):
    """e_i = v^T tanh(W_h h_i + W_s s_t + w_c c_i + b)"""

    def __init__(self, enc_size, dec_size, att_size):
        super().__init__()
        self.W_h = nn.Linear(enc_size, att_size, bias=False)
        self.W_s = nn.Linear(dec_size, att_size)
        self.w_c = nn.Linear(1, att_size, bias=False)
        self.v = nn.Linear(att_size, 1, bias=False)

    def forward(self, s_t, h, is_word, coverage=None):
        feats = self.W_h(h) + self.W_s(s_t)[:, None]
        if coverage is not None:
            feats = feats + self.w_c(coverage)
        e = self.v(torch.tanh(feats)).squeeze(-1)
        a = F.softmax(e, dim=-1) * is_word
        a = a / a.sum(-1, keepdim=True)
        context = torch.einsum('bi,bij->bj', a, h)
        return context, a


if __name__ == "__main__":
    batch, article = 8, 400
    attend = CoverageAttention(enc_size=128, dec_size=96, att_size=64)
    h = torch.randn(batch, article, 128)
    is_word = (torch.arange(article) < torch.randint(200, article, (batch, 1))).float()

    # pretraining without coverage works, the finetuning step crashes
    context, a = attend(torch.randn(batch, 96), h, is_word)
    coverage, penalty = torch.zeros(batch, article), 0
    for step in range(3):
        context, a = attend(torch.randn(batch, 96), h, is_word, coverage)
        penalty = penalty + torch.minimum(a, coverage).sum(1).mean()
        coverage = coverage + a
    print(context.shape, penalty.item())
