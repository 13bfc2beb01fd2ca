import torch
import torch.nn as nn
import torch.nn.functional as F


class ResidualAttentionBlock(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.ln_1, self.ln_2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.attn = nn.MultiheadAttention(width, heads, batch_first=True)
        self.mlp = nn.Sequential(nn.Linear(width, width * 4), nn.GELU(), nn.Linear(width * 4, width))

    def forward(self, x, attn_mask):
        y = self.ln_1(x)
        x = x + self.attn(y, y, y, attn_mask=attn_mask, need_weights=False)[0]
        return x + self.mlp(self.ln_2(x))


class TextTransformer(nn.Module):
    """Causal text tower; a class token behind the text sums it up."""

    def __init__(self, vocab_size, context_length=77, width=32, heads=4, layers=2, pad_id=0):
        super().__init__()
        self.heads, self.pad_id = heads, pad_id
        self.token_embedding = nn.Embedding(vocab_size, width)
        self.cls_emb = nn.Parameter(torch.randn(width) * 0.02)
        self.positional_embedding = nn.Parameter(torch.randn(context_length + 1, width) * 0.01)
        self.blocks = nn.ModuleList([ResidualAttentionBlock(width, heads) for _ in range(layers)])
        self.ln_final = nn.LayerNorm(width)

    def build_causal_mask(self, length):
        return torch.full((length, length), float("-inf")).triu(1)

    def build_cls_mask(self, text):
        cls_mask = (text != self.pad_id).unsqueeze(1)
        cls_mask = F.pad(cls_mask, (1, 0, cls_mask.shape[2], 0), value=True)
        additive_mask = torch.zeros(cls_mask.shape).masked_fill(~cls_mask, float("-inf"))
        return additive_mask.repeat_interleave(self.heads, 0)

    def forward(self, text):
        x = self.token_embedding(text)
        x = torch.cat([x, self.cls_emb.expand(x.shape[0], 1, -1)], dim=1)
        length = x.shape[1]
        x = x + self.positional_embedding[:length]
        attn_mask = self.build_causal_mask(length)[None] + self.build_cls_mask(text)
        for block in self.blocks:
            x = block(x, attn_mask)
        pooled, tokens = x[:, -1], x[:, :-1]
        return self.ln_final(pooled), tokens
