import torch
import torch.nn as nn


class EncoderBlock(nn.Module):
    def __init__(self, embed_dim, num_heads, mlp_dim, p=0.0):
        super().__init__()
        self.ln_1 = nn.LayerNorm(embed_dim)
        self.attn = nn.MultiheadAttention(embed_dim, num_heads, dropout=p, batch_first=True)
        self.ln_2 = nn.LayerNorm(embed_dim)
        self.mlp = nn.Sequential(nn.Linear(embed_dim, mlp_dim), nn.GELU(), nn.Dropout(p), nn.Linear(mlp_dim, embed_dim))

    def forward(self, x):
        y = self.ln_1(x)
        x = x + self.attn(y, y, y, need_weights=False)[0]
        return x + self.mlp(self.ln_2(x))


class PatchTransformer(nn.Module):
    def __init__(self, patch=8, embed_dim=64, num_heads=4, depth=2, n_out=10):
        super().__init__()
        self.to_patches = nn.Conv2d(3, embed_dim, patch, stride=patch)
        self.blocks = nn.ModuleList([EncoderBlock(embed_dim, num_heads, 2 * embed_dim) for _ in range(depth)])
        self.cls = nn.Parameter(torch.randn(1, 1, embed_dim))
        self.head = nn.Linear(embed_dim, n_out)

    def forward(self, img):
        tokens = self.to_patches(img).flatten(2).transpose(1, 2)
        tokens = torch.cat([self.cls.expand(tokens.size(0), -1, -1), tokens], dim=1)
        # transformer blocks want [seq, batch, dim]
        h = tokens.permute(1, 0, 2)
        for block in self.blocks:
            h = block(h)
        return self.head(h.permute(1, 0, 2)[:, 0])


if __name__ == "__main__":
    print(PatchTransformer()(torch.randn(4, 3, 32, 32)).shape)
