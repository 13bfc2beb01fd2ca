import torch
import torch.nn as nn


class PatchForecaster(nn.Module):
    """Channel independent patch transformer.

    x: (batch, context, channels) -> (batch, horizon, channels)
    """

    def __init__(self, context=96, horizon=24, patch_len=16, stride=8, d_model=64, nhead=4):
        super().__init__()
        self.patch_len, self.stride = patch_len, stride
        self.pad = nn.ReplicationPad1d((0, stride))
        n_patches = (context - patch_len) // stride + 1

        self.embed = nn.Linear(patch_len, d_model)
        self.pos = nn.Parameter(torch.randn(1, 512, d_model) * 0.02)
        layer = nn.TransformerEncoderLayer(d_model, nhead, 2 * d_model, dropout=0.0, batch_first=True)
        self.encoder = nn.TransformerEncoder(layer, 2)
        self.head = nn.Linear(n_patches * d_model, horizon)

    def forward(self, x):
        b, _, c = x.shape
        mean = x.mean(1, keepdim=True)
        x = (x - mean).transpose(1, 2)                                    # b c t
        patches = self.pad(x).unfold(-1, self.patch_len, self.stride)     # b c n p
        z = self.embed(patches).flatten(0, 1)
        z = self.encoder(z + self.pos[:, :z.shape[1]])
        y = self.head(z.flatten(1)).view(b, c, -1)
        return y.transpose(1, 2) + mean


if __name__ == "__main__":
    print(PatchForecaster()(torch.randn(8, 96, 7)).shape)
