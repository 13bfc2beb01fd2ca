import torch
import torch.nn.functional as F
from einops import rearrange
from torch import nn


class BlockCausalAttention(nn.Module):
    """Tokens of a frame see each other and all earlier frames."""

    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.qkv = nn.Linear(dim, 3 * dim, bias=False)
        self.proj = nn.Linear(dim, dim)

    def forward(self, x):
        n_frames, n_patches = x.shape[1:3]
        x = rearrange(x, "b t p d -> b (t p) d")
        q, k, v = rearrange(self.qkv(x), "b n (s h d) -> s b h n d", s=3, h=self.heads)

        index = torch.arange(n_frames * n_patches, device=x.device)
        frame = index // n_patches
        allowed = frame[:, None] >= frame[None, :]

        y = F.scaled_dot_product_attention(q, k, v, attn_mask=allowed)
        y = self.proj(rearrange(y, "b h n d -> b n (h d)"))
        return rearrange(y, "b (t p) d -> b t p d", t=n_frames)


class Dynamics(nn.Module):
    def __init__(self, n_codes, dim=64, heads=4, n_actions=6):
        super().__init__()
        self.codes = nn.Embedding(n_codes, dim)
        self.actions = nn.Embedding(n_actions, dim)
        self.norm = nn.LayerNorm(dim)
        self.attn = BlockCausalAttention(dim, heads)
        self.head = nn.Linear(dim, n_codes)

    def forward(self, codes, actions):
        # codes (b, t, p) image tokens of an episode, actions (b, t)
        x = self.codes(codes) + self.actions(actions).unsqueeze(2)
        return self.head(x + self.attn(self.norm(x)))
