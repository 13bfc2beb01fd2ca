import torch
import torch.nn as nn


class LabelEmbedding(nn.Module):
    def __init__(self, num_classes, dim):
        super().__init__()
        self.dim = dim
        self.embedding = nn.Embedding(num_classes, dim)

    def forward(self, x):
        B, C, H, W = x.size()
        x = self.embedding(x)                      # B, C, H, W, dim
        x = x.permute(0, 1, 4, 2, 3)
        return x.reshape(B, C * self.dim, H, W)


class LinearAttention(nn.Module):
    def __init__(self, dim, heads=4, dim_head=16):
        super().__init__()
        self.heads = heads
        hidden = heads * dim_head
        self.to_qkv = nn.Conv2d(dim, hidden * 3, 1, bias=False)
        self.to_out = nn.Conv2d(hidden, dim, 1)

    def forward(self, x):
        b, c, h, w = x.shape
        q, k, v = self.to_qkv(x).view(b, 3, self.heads, -1, h * w).unbind(1)
        k = k.softmax(dim=-1)
        context = torch.einsum("bhdn,bhen->bhde", k, v)
        out = torch.einsum("bhde,bhdn->bhen", context, q)
        return self.to_out(out.reshape(b, -1, h, w))


class SegmentationDenoiser(nn.Module):
    def __init__(self, num_classes=8, dim=32):
        super().__init__()
        self.embed = LabelEmbedding(num_classes, dim)
        self.inp = nn.Conv2d(dim, dim, 3, padding=1)
        self.norm = nn.GroupNorm(1, dim)
        self.attn = LinearAttention(dim)
        self.out = nn.Conv2d(dim, num_classes, 1)

    def forward(self, x_t):
        h = self.inp(self.embed(x_t))
        h = h + self.attn(self.norm(h))
        return self.out(h)


if __name__ == "__main__":
    model = SegmentationDenoiser()
    labels = torch.randint(0, 8, (2, 1, 16, 32))
    print(model(labels).shape)
