import torch
import torch.nn as nn
import torch.nn.functional as F


class GlobalAttention(nn.Module):
    """
    Luong attention with an optional coverage term.

    source        [batch x dim]
    memory_bank   [batch x src_len x dim]
    coverage      [batch x src_len]
    """

    def __init__(self, dim, coverage=False, attn_type="general"):
        super().__init__()
        self.dim = dim
        self.attn_type = attn_type
        if attn_type == "general":
            self.linear_in = nn.Linear(dim, dim, bias=False)
        self.linear_out = nn.Linear(dim * 2, dim, bias=False)
        if coverage:
            self.linear_cover = nn.Linear(1, dim, bias=False)

    def score(self, h_t, h_s):
        if self.attn_type == "general":
            h_t = self.linear_in(h_t)
        return torch.bmm(h_t.unsqueeze(1), h_s.transpose(1, 2)).squeeze(1)

    def forward(self, source, memory_bank, lengths=None, coverage=None):
        batch, source_l, dim = memory_bank.size()

        if coverage is not None:
            cover = coverage.reshape(-1).unsqueeze(1)
            memory_bank = memory_bank + self.linear_cover(cover)
            memory_bank = torch.tanh(memory_bank)

        align = self.score(source, memory_bank)
        if lengths is not None:
            steps = torch.arange(source_l, device=lengths.device)
            align = align.masked_fill(steps[None, :] >= lengths[:, None], float("-inf"))

        align_vectors = F.softmax(align, dim=-1)
        c = torch.bmm(align_vectors.unsqueeze(1), memory_bank).squeeze(1)
        attn_h = torch.tanh(self.linear_out(torch.cat([c, source], 1)))
        return attn_h, align_vectors
