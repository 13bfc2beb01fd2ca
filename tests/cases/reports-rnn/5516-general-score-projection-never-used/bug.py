import torch
import torch.nn as nn


class GlobalAttention(nn.Module):
    def __init__(self, src_dim, tgt_dim):
        super(GlobalAttention, self).__init__()
        self.linear_in = nn.Linear(tgt_dim, src_dim, bias=False)
        self.linear_out = nn.Linear(src_dim + tgt_dim, tgt_dim, bias=False)
        self.softmax = nn.Softmax(dim=-1)

    def score(self, h_t, h_s):
        """
        h_t (FloatTensor): batch x tgt_len x tgt_dim
        h_s (FloatTensor): batch x src_len x src_dim
        """
        batch, tgt_len, tgt_dim = h_t.size()
        h_t_ = self.linear_in(h_t.contiguous().view(batch * tgt_len, tgt_dim))
        h_t_ = h_t_.view(batch, tgt_len, -1)
        return torch.bmm(h_t, h_s.transpose(1, 2))

    def forward(self, h_t, memory, lengths=None):
        align = self.score(h_t, memory)
        if lengths is not None:
            pos = torch.arange(memory.size(1), device=memory.device)
            mask = pos.unsqueeze(0) < lengths.unsqueeze(1)
            align = align.masked_fill(~mask.unsqueeze(1), -float('inf'))
        align = self.softmax(align)
        c = torch.bmm(align, memory)
        attn_h = torch.tanh(self.linear_out(torch.cat([c, h_t], 2)))
        return attn_h, align


if __name__ == '__main__':
    attn = GlobalAttention(src_dim=24, tgt_dim=16)
    attn_h, align = attn(torch.randn(3, 5, 16), torch.randn(3, 8, 24), torch.tensor([8, 6, 3]))
    print(attn_h.shape, align.shape)
