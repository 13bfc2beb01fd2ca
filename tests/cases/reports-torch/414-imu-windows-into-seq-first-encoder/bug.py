import torch
import torch.nn as nn


class HARTransformer(nn.Module):
    """ Human activity recognition from IMU windows (accelerometer + gyroscope, 6 channels) """

    def __init__(self, window=128, in_ch=6, hid=64, heads=4, layers=2, n_classes=6):
        super().__init__()
        self.conv = nn.Sequential(
            nn.Conv1d(in_ch, hid, kernel_size=3, padding=1), nn.GELU(),
            nn.Conv1d(hid, hid, kernel_size=3, padding=1), nn.GELU(),
        )
        self.pos = nn.Parameter(torch.randn(1, window, hid) * 0.02)
        enc = nn.TransformerEncoderLayer(d_model=hid, nhead=heads, dim_feedforward=2 * hid, dropout=0.1)
        self.encoder = nn.TransformerEncoder(enc, num_layers=layers)
        self.fc = nn.Linear(hid, n_classes)

    def forward(self, sig):
        # sig: (bs, window, in_ch)
        z = self.conv(sig.transpose(1, 2)).transpose(1, 2)
        z = z + self.pos[:, :z.shape[1], :]
        z = self.encoder(z)
        z = z.mean(dim=1)
        return self.fc(z)


if __name__ == "__main__":
    net = HARTransformer()
    batch = torch.randn(32, 128, 6)
    print(net(batch).shape)
