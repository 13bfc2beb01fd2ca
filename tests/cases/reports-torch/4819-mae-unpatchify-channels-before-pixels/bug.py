import torch
import torch.nn as nn


class MaskedImageModel(nn.Module):
    def __init__(self, patch=4, dim=64, depth=2, heads=4, img=32):
        super().__init__()
        self.p = patch
        n = (img // patch) ** 2
        self.to_token = nn.Linear(3 * patch * patch, dim)
        self.mask_token = nn.Parameter(torch.zeros(dim))
        self.pos = nn.Parameter(torch.randn(1, n, dim) * 0.02)
        layer = nn.TransformerEncoderLayer(dim, heads, 4 * dim, dropout=0.0, batch_first=True)
        self.body = nn.TransformerEncoder(layer, depth)
        self.to_pixel = nn.Linear(dim, 3 * patch * patch)

    def to_patches(self, imgs):
        b, c, height, width = imgs.shape
        p = self.p
        x = imgs.view(b, c, height // p, p, width // p, p).permute(0, 2, 4, 3, 5, 1)
        return x.flatten(3).flatten(1, 2)                 # (b, grid*grid, p*p*c)

    def to_image(self, patches):
        b, p = patches.shape[0], self.p
        grid = int(patches.shape[1] ** 0.5)
        x = patches.view(b, grid, grid, 3, p, p).permute(0, 3, 1, 4, 2, 5)
        return x.reshape(b, 3, grid * p, grid * p)

    def forward(self, imgs, hidden):
        target = self.to_patches(imgs)
        tok = torch.where(hidden[..., None], self.mask_token, self.to_token(target))
        pred = self.to_pixel(self.body(tok + self.pos))
        loss = ((pred - target) ** 2).mean(-1)
        loss = (loss * hidden).sum() / hidden.sum()
        return loss, self.to_image(pred)


if __name__ == "__main__":
    model = MaskedImageModel()
    loss, recon = model(torch.randn(2, 3, 32, 32), torch.rand(2, 64) < 0.75)
    print(loss.item(), recon.shape)
