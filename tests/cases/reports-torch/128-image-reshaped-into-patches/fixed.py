import torch
import torch.nn as nn


def patchify(images, n_patches):
    n, c, h, w = images.shape
    assert h == w, "Patchify method is implemented for square images only"
    p = h // n_patches
    return images.reshape(n, c, n_patches, p, n_patches, p).permute(0, 2, 4, 1, 3, 5).reshape(n, n_patches ** 2, c * p * p)


class MyViT(nn.Module):
    def __init__(self, chw, n_patches=7, hidden_d=8, n_heads=2, out_d=10):
        super(MyViT, self).__init__()
        self.chw = chw
        self.n_patches = n_patches
        self.hidden_d = hidden_d
        self.patch_size = (chw[1] // n_patches, chw[2] // n_patches)
        self.input_d = int(chw[0] * self.patch_size[0] * self.patch_size[1])
        self.linear_mapper = nn.Linear(self.input_d, self.hidden_d)
        self.class_token = nn.Parameter(torch.rand(1, self.hidden_d))
        self.attn = nn.MultiheadAttention(hidden_d, n_heads, batch_first=True)
        self.mlp = nn.Linear(hidden_d, out_d)

    def forward(self, images):
        n, c, h, w = images.shape
        patches = patchify(images, self.n_patches)
        tokens = self.linear_mapper(patches)
        tokens = torch.cat((self.class_token.expand(n, 1, -1), tokens), dim=1)
        out, _ = self.attn(tokens, tokens, tokens)
        return self.mlp(out[:, 0])


if __name__ == '__main__':
    model = MyViT((1, 28, 28))
    print(model(torch.randn(3, 1, 28, 28)).shape)
