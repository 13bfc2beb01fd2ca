import torch
from torch import nn


class Encoder(nn.Module):
    def __init__(self, img=224, patch=14, dim=384, heads=6, registers=4):
        super().__init__()
        self.grid = img // patch
        self.heads = heads
        self.embed = nn.Conv2d(3, dim, patch, patch)
        self.cls = nn.Parameter(torch.zeros(1, 1, dim))
        self.reg = nn.Parameter(torch.zeros(1, registers, dim))
        self.pos = nn.Parameter(torch.randn(1, self.grid ** 2 + 1, dim) * 0.02)
        self.qk = nn.Linear(dim, 2 * dim)

    def tokens(self, img):
        x = self.embed(img).flatten(2).transpose(1, 2)
        x = torch.cat([self.cls.expand(len(x), -1, -1), x], dim=1) + self.pos
        return torch.cat([x[:, :1], self.reg.expand(len(x), -1, -1), x[:, 1:]], dim=1)

    def last_attention(self, img):
        x = self.tokens(img)
        b, n, d = x.shape
        q, k = self.qk(x).view(b, n, 2, self.heads, d // self.heads).permute(2, 0, 3, 1, 4)
        return (q @ k.transpose(-2, -1) * (d // self.heads) ** -0.5).softmax(-1)


@torch.no_grad()
def heatmaps(model, img, size):
    att = model.last_attention(img)
    b, h = att.shape[:2]
    att = att[:, :, 0, 1:]
    att = att.reshape(b, h, model.grid, model.grid)
    return nn.functional.interpolate(att, size=size, mode="nearest")


if __name__ == "__main__":
    model = Encoder()
    maps = heatmaps(model, torch.rand(1, 3, 224, 224), (224, 224))
    print(maps.shape)
