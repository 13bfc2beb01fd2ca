import math
import torch
import torch.nn as nn


class MultiHeadAttention(nn.Module):
    """Multi-head dot attention of the speller (one character at a time)"""

    def __init__(self, d_dec, d_enc, num_heads=4, dim=256):
        super().__init__()
        self.num_heads = num_heads
        self.d = dim // num_heads
        self.q_proj = nn.Linear(d_dec, dim)
        self.k_proj = nn.Linear(d_enc, dim)
        self.v_proj = nn.Linear(d_enc, dim)

    def fold(self, x):
        # (B, T, n*d) -> (n*B, T, d)
        B, T, _ = x.shape
        return x.view(B, T, self.num_heads, self.d).permute(2, 0, 1, 3).reshape(-1, T, self.d)

    def forward(self, s, listener_feat):
        B = s.size(0)
        q = self.fold(self.q_proj(s).unsqueeze(1))
        k, v = self.fold(self.k_proj(listener_feat)), self.fold(self.v_proj(listener_feat))
        align = torch.softmax(q.bmm(k.transpose(1, 2)) / math.sqrt(self.d), dim=-1)
        ctx = align.bmm(v)
        ctx = ctx.view(self.num_heads, B, self.d).transpose(0, 1).reshape(B, self.num_heads * self.d)
        return ctx, align


class Speller(nn.Module):
    def __init__(self, n_chars, d_emb, d_dec, d_enc, num_heads=4, dim=256):
        super().__init__()
        self.emb = nn.Embedding(n_chars, d_emb)
        self.cell = nn.LSTMCell(d_emb + dim, d_dec)
        self.attend = MultiHeadAttention(d_dec, d_enc, num_heads, dim)
        self.char_dist = nn.Linear(d_dec + dim, n_chars)

    def step(self, y, ctx, state, listener_feat):
        s, c = self.cell(torch.cat([self.emb(y), ctx], 1), state)
        ctx, align = self.attend(s, listener_feat)
        return self.char_dist(torch.cat([s, ctx], 1)), ctx, (s, c)


if __name__ == "__main__":
    speller = Speller(30, 64, 320, 512)
    z = torch.zeros
    logits, ctx, state = speller.step(torch.zeros(6, dtype=torch.long), z(6, 256), (z(6, 320), z(6, 320)), torch.randn(6, 90, 512))
    print(logits.shape, ctx.shape)
