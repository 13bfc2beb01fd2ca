import torch
import torch.nn as nn
from einops import rearrange


class PatchRestorer(nn.Module):
    """Cleans a scanned page: patches in, attention over all patches, patches out."""

    def __init__(self, patch=8, grid=4, width=64, heads=4, channels=3):
        super().__init__()
        self.patch = patch
        patch_values = patch * patch * channels
        self.embed = nn.Linear(patch_values, width)
        self.where = nn.Parameter(torch.zeros(grid * grid, width))
        block = nn.TransformerEncoderLayer(width, heads, 2 * width, dropout=0.0, batch_first=True)
        self.encoder = nn.TransformerEncoder(block, 1, enable_nested_tensor=False)
        self.restore = nn.Linear(width, patch_values)

    def forward(self, page):
        p = self.patch
        rows = page.shape[-2] // p
        tokens = rearrange(page, 'b c (y p1) (x p2) -> b (y x) (p1 p2 c)', p1=p, p2=p)
        h = self.embed(tokens) + self.where
        h = self.encoder(h)
        return rearrange(self.restore(h), 'b (y x) (p1 p2 c) -> b c (y p1) (x p2)', y=rows, p1=p, p2=p)


if __name__ == "__main__":
    model = PatchRestorer()
    print(model(torch.rand(2, 3, 32, 32)).shape)
