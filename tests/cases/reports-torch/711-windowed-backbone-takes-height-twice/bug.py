import torch
import torch.nn as nn


class WindowedEmbeddings(nn.Module):
    def __init__(self, hidden_size, patch_size=16, num_windows=2):
        super().__init__()
        self.patch_size, self.num_windows = patch_size, num_windows
        self.cls_token = nn.Parameter(torch.zeros(1, 1, hidden_size))
        self.projection = nn.Conv2d(3, hidden_size, patch_size, patch_size)

    def forward(self, pixel_values):
        batch_size, _, height, width = pixel_values.shape
        x = self.projection(pixel_values)
        num_h = height // self.patch_size
        num_w = width // self.patch_size
        x = x.permute(0, 2, 3, 1)
        if self.num_windows > 1:
            nw = self.num_windows
            h_per_window = num_h // nw
            w_per_window = num_w // nw
            x = x.reshape(batch_size, nw, h_per_window, nw, h_per_window, x.shape[-1])
            x = x.permute(0, 1, 3, 2, 4, 5)
            x = x.reshape(batch_size * nw ** 2, h_per_window * w_per_window, -1)
        else:
            x = x.flatten(1, 2)
        cls_tokens = self.cls_token.expand(x.shape[0], -1, -1)
        return torch.cat((cls_tokens, x), dim=1)


class WindowedBackbone(nn.Module):
    def __init__(self, hidden_size=48, heads=4, depth=2):
        super().__init__()
        self.embeddings = WindowedEmbeddings(hidden_size)
        layer = nn.TransformerEncoderLayer(hidden_size, heads, 96, batch_first=True)
        self.encoder = nn.TransformerEncoder(layer, depth)

    def forward(self, pixel_values):
        return self.encoder(self.embeddings(pixel_values))


if __name__ == "__main__":
    backbone = WindowedBackbone()
    print(backbone(torch.randn(1, 3, 96, 128)).shape)
