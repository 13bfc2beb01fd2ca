import torch
import torch.nn as nn

image_size = 32
patch_size = 4
in_channels = 3
dim = 128
num_patches = (image_size // patch_size) ** 2


class PatchEmbed(nn.Module):
    def __init__(self):
        super().__init__()
        self.proj = nn.Linear(patch_size * patch_size * in_channels, dim)
        self.cls = nn.Parameter(torch.zeros(1, 1, dim))
        self.pos = nn.Parameter(torch.randn(1, num_patches + 1, dim) * 0.02)

    def forward(self, img):
        B, C, H, W = img.shape
        p = patch_size
        x = img.reshape(B, C, H // p, p, W // p, p)
        x = x.permute(0, 2, 4, 3, 5, 1).flatten(3).flatten(1, 2)
        x = self.proj(x)
        return torch.cat([self.cls.expand(B, -1, -1), x], dim=1) + self.pos


class ViT(nn.Module):
    def __init__(self, depth=2, heads=4, classes=10):
        super().__init__()
        self.embed = PatchEmbed()
        layer = nn.TransformerEncoderLayer(dim, heads, dim * 2, activation="gelu", batch_first=True)
        self.encoder = nn.TransformerEncoder(layer, depth)
        self.head = nn.Linear(dim, classes)

    def forward(self, img):
        return self.head(self.encoder(self.embed(img))[:, 0])


if __name__ == "__main__":
    print(ViT()(torch.randn(8, 3, 32, 32)).shape)
