import torch
import torch.nn as nn


class RelativeAttention(nn.Module):
    def __init__(self, dim, image_size, heads=4):
        super().__init__()
        ih, iw = image_size
        self.heads = heads
        self.scale = (dim // heads) ** -0.5
        self.to_qkv = nn.Linear(dim, 3 * dim, bias=False)
        self.to_out = nn.Linear(dim, dim)

        self.bias_table = nn.Parameter(torch.zeros((2 * ih - 1) * (2 * iw - 1), heads))
        ys, xs = torch.meshgrid(torch.arange(ih), torch.arange(iw), indexing="ij")
        coords = torch.stack([ys.flatten(), xs.flatten()])
        rel = coords[:, :, None] - coords[:, None, :]
        index = (rel[0] + ih - 1) * (2 * iw - 1) + rel[1] + iw - 1
        self.register_buffer("index", index, persistent=False)

    def forward(self, x):
        b, n, c = x.shape
        q, k, v = self.to_qkv(x).view(b, n, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
        dots = q @ k.transpose(-1, -2) * self.scale
        bias = self.bias_table[self.index].permute(2, 0, 1)
        attn = (dots + bias).softmax(dim=-1)
        return self.to_out((attn @ v).transpose(1, 2).reshape(b, n, c))


class DownsamplingStage(nn.Module):
    def __init__(self, inp, oup, image_size):
        super().__init__()
        self.pool = nn.MaxPool2d(3, 2, 1)
        self.proj = nn.Conv2d(inp, oup, 1)
        self.norm = nn.LayerNorm(oup)
        self.attn = RelativeAttention(oup, image_size)

    def forward(self, x):
        x = self.proj(self.pool(x))
        b, c, h, w = x.shape
        tokens = x.flatten(2).transpose(1, 2)
        tokens = tokens + self.attn(self.norm(tokens))
        return tokens.transpose(1, 2).reshape(b, c, h, w)


if __name__ == "__main__":
    stage = DownsamplingStage(16, 32, image_size=(14, 14))
    print(stage(torch.randn(2, 16, 14, 14)).shape)
