import torch
import torch.nn as nn


class MultiScaleEncoder(nn.Module):
    def __init__(self, in_channels=(32, 64, 128), d_model=64, nhead=4, num_layers=1):
        super().__init__()
        self.laterals = nn.ModuleList([nn.Conv2d(c, d_model, 1) for c in in_channels])
        self.level_embed = nn.Parameter(torch.zeros(len(in_channels), d_model))
        layer = nn.TransformerEncoderLayer(d_model, nhead, 4 * d_model, dropout=0.0, batch_first=True)
        self.encoder = nn.TransformerEncoder(layer, num_layers)

    def forward(self, feats):
        tokens, shapes = [], []
        for lvl, (lateral, feat) in enumerate(zip(self.laterals, feats)):
            src = lateral(feat)
            b, c, h, w = src.shape
            shapes.append((h, w))
            src = src.flatten(2).transpose(1, 2)
            tokens.append(src + self.level_embed[lvl].view(1, 1, -1))
        memory = self.encoder(torch.cat(tokens, dim=1))

        outs = []
        for part, (h, w) in zip(memory.split([h * w for h, w in shapes], dim=1), shapes):
            outs.append(part.transpose(1, 2).reshape(b, c, h, w))
        return outs


feats = lambda b=2: [torch.randn(b, 32, 16, 16), torch.randn(b, 64, 8, 8), torch.randn(b, 128, 4, 4)]

if __name__ == "__main__":
    for out in MultiScaleEncoder()(feats()):
        print(out.shape)
