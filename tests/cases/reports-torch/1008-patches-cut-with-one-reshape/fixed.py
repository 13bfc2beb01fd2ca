import torch
import torch.nn as nn


class PatchEmbedding(nn.Module):
    def __init__(self, img_size=32, patch_size=4, in_chans=3, embed_dim=128):
        super().__init__()
        self.patch_size = patch_size
        self.n_patches = (img_size // patch_size) ** 2
        self.proj = nn.Linear(in_chans * patch_size ** 2, embed_dim)
        self.cls_token = nn.Parameter(torch.zeros(1, 1, embed_dim))
        self.pos_embed = nn.Parameter(torch.randn(1, self.n_patches + 1, embed_dim) * 0.02)

    def forward(self, img):
        B, C, H, W = img.shape
        p = self.patch_size
        x = img.reshape(B, C, H // p, p, W // p, p)
        x = x.permute(0, 2, 4, 1, 3, 5).reshape(B, (H // p) * (W // p), C * p * p)
        x = self.proj(x)
        cls = self.cls_token.expand(B, -1, -1)
        return torch.cat([cls, x], dim=1) + self.pos_embed


class SimpleViT(nn.Module):
    def __init__(self, num_classes=10, embed_dim=128, depth=4, heads=4):
        super().__init__()
        self.patch_embed = PatchEmbedding(embed_dim=embed_dim)
        layer = nn.TransformerEncoderLayer(embed_dim, heads, 4 * embed_dim, activation="gelu", batch_first=True, norm_first=True)
        self.blocks = nn.TransformerEncoder(layer, depth, enable_nested_tensor=False)
        self.norm = nn.LayerNorm(embed_dim)
        self.head = nn.Linear(embed_dim, num_classes)

    def forward(self, img):
        x = self.blocks(self.patch_embed(img))
        return self.head(self.norm(x[:, 0]))


if __name__ == "__main__":
    vit = SimpleViT()
    print(vit(torch.randn(8, 3, 32, 32)).shape)
