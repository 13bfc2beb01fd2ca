import torch
import torch.nn as nn
import torch.nn.functional as F


class ChannelGate(nn.Module):
    def __init__(self, gate_channel, reduction_ratio=16):
        super().__init__()
        hidden = gate_channel // reduction_ratio
        self.gate_c = nn.Sequential(
            nn.Flatten(),
            nn.Linear(gate_channel, hidden),
            nn.ReLU(),
            nn.Linear(hidden, gate_channel),
        )

    def forward(self, in_tensor):
        avg_pool = F.avg_pool2d(in_tensor, (in_tensor.size(2), in_tensor.size(3)), stride=in_tensor.size(2))
        att = self.gate_c(avg_pool)
        return att.unsqueeze(2).unsqueeze(3).expand_as(in_tensor)


class SpatialGate(nn.Module):
    def __init__(self, gate_channel, reduction_ratio=16, dilation=4):
        super().__init__()
        hidden = gate_channel // reduction_ratio
        self.gate_s = nn.Sequential(
            nn.Conv2d(gate_channel, hidden, 1), nn.ReLU(),
            nn.Conv2d(hidden, hidden, 3, padding=dilation, dilation=dilation), nn.ReLU(),
            nn.Conv2d(hidden, 1, 1),
        )

    def forward(self, in_tensor):
        return self.gate_s(in_tensor).expand_as(in_tensor)


class BAM(nn.Module):
    def __init__(self, gate_channel):
        super().__init__()
        self.channel_att = ChannelGate(gate_channel)
        self.spatial_att = SpatialGate(gate_channel)

    def forward(self, in_tensor):
        att = 1 + torch.sigmoid(self.channel_att(in_tensor) * self.spatial_att(in_tensor))
        return att * in_tensor


if __name__ == "__main__":
    bam = BAM(64)
    mel = torch.randn(2, 64, 20, 75)
    print(bam(mel).shape)
