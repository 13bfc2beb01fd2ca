import torch
import torch.nn as nn
import torch.nn.functional as F


class ImageProj(nn.Module):
    def __init__(self, clip_dim, ctx_dim, tokens=4):
        super().__init__()
        self.tokens, self.ctx_dim = tokens, ctx_dim
        self.proj = nn.Linear(clip_dim, tokens * ctx_dim)
        self.norm = nn.LayerNorm(ctx_dim)

    def forward(self, emb):
        return self.norm(self.proj(emb).reshape(-1, self.tokens, self.ctx_dim))


class DecoupledCrossAttention(nn.Module):
    def __init__(self, dim, ctx_dim, heads=8, tokens=4, scale=1.0):
        super().__init__()
        self.heads, self.tokens, self.scale = heads, tokens, scale
        self.to_q = nn.Linear(dim, dim, bias=False)
        self.to_k = nn.Linear(ctx_dim, dim, bias=False)
        self.to_v = nn.Linear(ctx_dim, dim, bias=False)
        self.to_k_ip = nn.Linear(ctx_dim, dim, bias=False)
        self.to_v_ip = nn.Linear(ctx_dim, dim, bias=False)
        self.to_out = nn.Linear(dim, dim)

    def _heads(self, t):
        return t.view(t.size(0), t.size(1), self.heads, -1).transpose(1, 2)

    def forward(self, x, context):
        text, ip = context[:, :-self.tokens], context[:, -self.tokens:]
        q = self._heads(self.to_q(x))
        a = F.scaled_dot_product_attention(q, self._heads(self.to_k(text)), self._heads(self.to_v(text)))
        b = F.scaled_dot_product_attention(q, self._heads(self.to_k_ip(ip)), self._heads(self.to_v_ip(ip)))
        y = (a + self.scale * b).transpose(1, 2).flatten(2)
        return self.to_out(y)


class ConditionedBlock(nn.Module):
    def __init__(self, dim=64, ctx_dim=48, clip_dim=32, heads=4, tokens=4):
        super().__init__()
        self.image_proj = ImageProj(clip_dim, ctx_dim, tokens)
        self.norm = nn.LayerNorm(dim)
        self.attn2 = DecoupledCrossAttention(dim, ctx_dim, heads, tokens)

    def forward(self, x, text, image_embed):
        context = torch.cat([text, self.image_proj(image_embed)], dim=1)
        return x + self.attn2(self.norm(x), context)
