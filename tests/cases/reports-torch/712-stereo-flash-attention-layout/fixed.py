import torch
import torch.nn as nn
import torch.nn.functional as F


class FlashMultiheadAttention(nn.Module):
    def __init__(self, embed_dim, num_heads):
        super().__init__()
        self.num_heads = num_heads
        self.head_dim = embed_dim // num_heads
        self.q_proj = nn.Linear(embed_dim, embed_dim)
        self.k_proj = nn.Linear(embed_dim, embed_dim)
        self.v_proj = nn.Linear(embed_dim, embed_dim)
        self.out_proj = nn.Linear(embed_dim, embed_dim)

    def forward(self, query, key, value):
        B, L, C = query.shape
        Q = self.q_proj(query).view(B, -1, self.num_heads, self.head_dim)
        K = self.k_proj(key).view(B, -1, self.num_heads, self.head_dim)
        V = self.v_proj(value).view(B, -1, self.num_heads, self.head_dim)
        out = F.scaled_dot_product_attention(Q.transpose(1, 2), K.transpose(1, 2), V.transpose(1, 2)).transpose(1, 2)
        return self.out_proj(out.reshape(B, L, C))


class DisparityTransformerLayer(nn.Module):
    def __init__(self, embed_dim, num_heads, ff=4):
        super().__init__()
        self.attn = FlashMultiheadAttention(embed_dim, num_heads)
        self.ffn = nn.Sequential(nn.Linear(embed_dim, ff * embed_dim), nn.GELU(), nn.Linear(ff * embed_dim, embed_dim))
        self.norm1, self.norm2 = nn.LayerNorm(embed_dim), nn.LayerNorm(embed_dim)

    def forward(self, src):
        src = self.norm1(src + self.attn(src, src, src))
        return self.norm2(src + self.ffn(src))


class CostVolumeDisparityAttention(nn.Module):
    def __init__(self, d_model, nhead, num_layers=2):
        super().__init__()
        self.layers = nn.ModuleList(DisparityTransformerLayer(d_model, nhead) for _ in range(num_layers))

    def forward(self, cv):
        B, C, D, H, W = cv.shape
        x = cv.permute(0, 3, 4, 2, 1).reshape(B * H * W, D, C)
        for layer in self.layers:
            x = layer(x)
        return x.reshape(B, H, W, D, C).permute(0, 4, 3, 1, 2)


if __name__ == "__main__":
    cva = CostVolumeDisparityAttention(32, 4)
    print(cva(torch.randn(1, 32, 12, 4, 6)).shape)
