import torch
import torch.nn as nn


class RelativeAttention(nn.Module):
    def __init__(self, d_model, n_heads, max_dist=32):
        super().__init__()
        self.n_heads = n_heads
        self.d_head = d_model // n_heads
        self.max_dist = max_dist
        self.qkv = nn.Linear(d_model, 3 * d_model)
        self.rel_k = nn.Embedding(2 * max_dist + 1, self.d_head)
        self.out = nn.Linear(d_model, d_model)

    def relative_table(self, length, device):
        pos = torch.arange(length, device=device)
        dist = pos[None, :] - pos[:, None]                       # key position minus query position
        dist = dist.clamp(-self.max_dist, self.max_dist) + self.max_dist
        return self.rel_k(dist)                                  # [q, k, d_head]

    def forward(self, notes):
        b, length, _ = notes.shape
        q, k, v = self.qkv(notes).view(b, length, 3, self.n_heads, self.d_head).permute(2, 0, 3, 1, 4)
        content = torch.einsum("bhqd,bhkd->bhqk", q, k)
        position = torch.einsum("bhqd,kqd->bhqk", q, self.relative_table(length, notes.device))
        score = (content + position) / self.d_head ** 0.5
        future = torch.ones(length, length, dtype=torch.bool, device=notes.device).triu(1)
        prob = score.masked_fill(future, float("-inf")).softmax(-1)
        return self.out(torch.einsum("bhqk,bhkd->bqhd", prob, v).flatten(2)), prob


class MelodyModel(nn.Module):
    def __init__(self, n_pitches=130, d_model=64, n_heads=4):
        super().__init__()
        self.emb = nn.Embedding(n_pitches, d_model)
        self.attn = RelativeAttention(d_model, n_heads)
        self.head = nn.Linear(d_model, n_pitches)

    def forward(self, pitches):
        x = self.emb(pitches)
        return self.head(x + self.attn(x)[0])
