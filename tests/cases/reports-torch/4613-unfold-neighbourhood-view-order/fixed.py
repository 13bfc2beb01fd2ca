import torch
import torch.nn as nn
import torch.nn.functional as F


class NeighbourAttention2d(nn.Module):
    def __init__(self, ch, heads=4, kernel=3):
        super().__init__()
        self.heads, self.kernel = heads, kernel
        self.scale = (ch // heads) ** -0.5
        self.q = nn.Conv2d(ch, ch, 1)
        self.kv = nn.Conv2d(ch, 2 * ch, 1)
        self.proj = nn.Conv2d(ch, ch, 1)

    def neighbours(self, t):
        B, C, H, W = t.shape
        kk = self.kernel ** 2
        t = F.unfold(t, self.kernel, padding=self.kernel // 2)
        return t.view(B, self.heads, C // self.heads, kk, H * W).transpose(2, 3)

    def forward(self, x):
        B, C, H, W = x.shape
        q = self.q(x).view(B, self.heads, 1, C // self.heads, H * W)
        k, v = self.kv(x).chunk(2, dim=1)
        k, v = self.neighbours(k), self.neighbours(v)

        score = (q * k).sum(dim=3, keepdim=True) * self.scale
        weight = score.softmax(dim=2)
        out = (weight * v).sum(dim=2)
        return self.proj(out.reshape(B, C, H, W))


if __name__ == "__main__":
    net = NeighbourAttention2d(32)
    print(net(torch.randn(2, 32, 10, 12)).shape)
