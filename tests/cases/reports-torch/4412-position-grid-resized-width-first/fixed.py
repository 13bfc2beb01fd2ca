import torch
import torch.nn as nn
import torch.nn.functional as F


class FlexibleViT(nn.Module):
    """ViT encoder trained on square crops, the position grid is resized for other image sizes."""

    def __init__(self, patch=16, grid=14, dim=192, heads=3, depth=2):
        super().__init__()
        self.grid = grid
        self.patch_embed = nn.Conv2d(3, dim, kernel_size=patch, stride=patch)
        self.pos_embed = nn.Parameter(torch.randn(1, grid * grid, dim) * 0.02)
        layer = nn.TransformerEncoderLayer(dim, heads, 4 * dim, dropout=0.0, batch_first=True, norm_first=True)
        self.blocks = nn.TransformerEncoder(layer, depth, enable_nested_tensor=False)

    def resized_positions(self, h, w):
        pos = self.pos_embed.reshape(1, self.grid, self.grid, -1).permute(0, 3, 1, 2)
        pos = F.interpolate(pos, size=(h, w), mode="bilinear", align_corners=False)
        return pos.flatten(2).transpose(1, 2)

    def forward(self, images):
        feat = self.patch_embed(images)
        h, w = feat.shape[-2:]
        tokens = feat.flatten(2).transpose(1, 2)
        tokens = tokens + self.resized_positions(h, w)
        return self.blocks(tokens)


if __name__ == "__main__":
    vit = FlexibleViT(patch=8, grid=4, dim=48)
    print(vit(torch.randn(2, 3, 32, 32)).shape)
    print(vit(torch.randn(2, 3, 24, 56)).shape)
