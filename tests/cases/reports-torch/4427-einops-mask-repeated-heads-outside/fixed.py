import torch
import torch.nn as nn
from einops import rearrange, repeat


class PromptAttention(nn.Module):
    """Image tokens read a padded text prompt."""

    def __init__(self, img_dim, txt_dim, n_heads=4, head_dim=16):
        super().__init__()
        self.n_heads = n_heads
        self.q_proj = nn.Linear(img_dim, n_heads * head_dim, bias=False)
        self.k_proj = nn.Linear(txt_dim, n_heads * head_dim, bias=False)
        self.v_proj = nn.Linear(txt_dim, n_heads * head_dim, bias=False)
        self.o_proj = nn.Linear(n_heads * head_dim, img_dim)

    def fold(self, t):
        return rearrange(t, 'b n (h d) -> (b h) n d', h=self.n_heads)

    def forward(self, img, txt, txt_valid=None):
        q, k, v = self.fold(self.q_proj(img)), self.fold(self.k_proj(txt)), self.fold(self.v_proj(txt))
        logits = torch.bmm(q, k.transpose(1, 2)) * q.size(-1) ** -0.5
        if txt_valid is not None:
            valid = repeat(txt_valid, 'b s -> (b h) 1 s', h=self.n_heads)
            logits = logits.masked_fill(~valid, float('-inf'))
        y = torch.bmm(logits.softmax(dim=-1), v)
        return self.o_proj(rearrange(y, '(b h) n d -> b n (h d)', h=self.n_heads))


if __name__ == '__main__':
    attn = PromptAttention(32, 24)
    words = torch.randn(2, 9, 24)
    n_words = torch.tensor([9, 4])
    valid = torch.arange(9)[None, :] < n_words[:, None]
    print(attn(torch.randn(2, 16, 32), words, valid).shape)
