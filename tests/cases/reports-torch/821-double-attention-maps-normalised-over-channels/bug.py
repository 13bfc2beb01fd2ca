import torch
import torch.nn as nn
import torch.nn.functional as F


class DoubleAttention(nn.Module):
    """Gathers global features with c_n attention maps, then hands them out to every position."""

    def __init__(self, in_channels, c_m, c_n):
        super().__init__()
        self.c_m, self.c_n = c_m, c_n
        self.convA = nn.Conv2d(in_channels, c_m, 1)
        self.convB = nn.Conv2d(in_channels, c_n, 1)
        self.convV = nn.Conv2d(in_channels, c_n, 1)
        self.proj = nn.Conv2d(c_m, in_channels, 1)

    def forward(self, x):
        b, c, h, w = x.shape
        A = self.convA(x).view(b, self.c_m, h * w)
        B = self.convB(x).view(b, self.c_n, h * w)
        V = self.convV(x).view(b, self.c_n, h * w)

        attention_maps = F.softmax(B, dim=1)
        attention_vectors = F.softmax(V, dim=1)
        global_descriptors = torch.bmm(A, attention_maps.permute(0, 2, 1))
        z = global_descriptors.matmul(attention_vectors)
        return x + self.proj(z.view(b, self.c_m, h, w))


class A2Net(nn.Module):
    def __init__(self, classes, width=32):
        super().__init__()
        self.stem = nn.Sequential(nn.Conv2d(3, width, 3, stride=2, padding=1), nn.BatchNorm2d(width), nn.ReLU())
        self.stage1 = nn.Sequential(nn.Conv2d(width, 2 * width, 3, stride=2, padding=1), nn.BatchNorm2d(2 * width), nn.ReLU())
        self.a2 = DoubleAttention(2 * width, width, width // 2)
        self.head = nn.Linear(2 * width, classes)

    def forward(self, images):
        x = self.a2(self.stage1(self.stem(images)))
        return self.head(x.mean(dim=(2, 3)))
