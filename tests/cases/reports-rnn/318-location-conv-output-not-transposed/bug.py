import torch
from torch import nn
import torch.nn.functional as F


class LocationAttention(nn.Module):
    """hybrid attention of a TTS decoder: content + where we looked before"""

    def __init__(self, d_query, d_mem, d_att=128, channels=32, kernel=31):
        super().__init__()
        self.q = nn.Linear(d_query, d_att, bias=False)
        self.m = nn.Linear(d_mem, d_att, bias=False)
        self.loc_conv = nn.Conv1d(2, channels, kernel, padding=kernel // 2, bias=False)
        self.loc_lin = nn.Linear(channels, d_att, bias=False)
        self.v = nn.Linear(d_att, 1)

    def location(self, last, total):
        history = torch.stack([last, total], dim=1)    # [B, 2, T]
        feats = self.loc_conv(history)
        return self.loc_lin(feats)

    def forward(self, query, memory, last, total):
        e = self.v(torch.tanh(self.q(query).unsqueeze(1) + self.m(memory) + self.location(last, total)))
        a = F.softmax(e.squeeze(-1), dim=1)
        return torch.bmm(a.unsqueeze(1), memory).squeeze(1), a


if __name__ == "__main__":
    B, T = 4, 87
    att = LocationAttention(1024, 512)
    memory = torch.randn(B, T, 512)
    last, total = torch.zeros(B, T), torch.zeros(B, T)
    for frame in range(5):
        ctx, last = att(torch.randn(B, 1024), memory, last, total)
        total = total + last
    print(ctx.shape, total.sum(1))
