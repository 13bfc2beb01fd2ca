import torch
from torch import nn

class PatchTokens(nn.Module):
    def __init__(self, img=224, p=16, ch=3, dim=384):
        super().__init__()
        self.p = p
        self.n = (img // p) ** 2
        self.patch_dim = ch * p * p
        self.lin = nn.Linear(self.patch_dim, dim)
        self.cls = nn.Parameter(torch.zeros(1, 1, dim))
        self.pos = nn.Parameter(torch.randn(1, self.n + 1, dim) * 0.02)

    def forward(self, im):
        x = im.unfold(2, self.p, self.p).unfold(3, self.p, self.p)
        x = x.contiguous().view(im.size(0), -1, self.patch_dim)
        x = self.lin(x)
        x = torch.cat([self.cls.expand(im.size(0), -1, -1), x], dim=1)
        return x + self.pos


class TinyViT(nn.Module):
    def __init__(self, img=224, p=16, dim=384, depth=6, heads=6, classes=100):
        super().__init__()
        self.tokens = PatchTokens(img, p, 3, dim)
        block = nn.TransformerEncoderLayer(dim, heads, 4 * dim, dropout=0., activation='gelu', batch_first=True, norm_first=True)
        self.blocks = nn.TransformerEncoder(block, depth, enable_nested_tensor=False)
        self.head = nn.Sequential(nn.LayerNorm(dim), nn.Linear(dim, classes))

    def forward(self, im):
        return self.head(self.blocks(self.tokens(im))[:, 0])

net = TinyViT(img=64, p=8, dim=96, depth=2, heads=3)
print(net(torch.randn(4, 3, 64, 64)).shape)
