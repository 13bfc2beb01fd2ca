import torch
import torch.nn as nn
import torch.nn.functional as F


def pixel_positions(h, w, device):
    ys, xs = torch.meshgrid(torch.arange(h, device=device), torch.arange(w, device=device), indexing="ij")
    return torch.stack([xs, ys], dim=-1).reshape(h * w, 2).float()


def match_frames(feat0, feat1):
    """Flow of every pixel of frame 0: where in frame 1 is it expected, minus where it is."""
    b, c, h, w = feat0.shape
    src = feat0.flatten(2)                                        # b, c, n0
    dst = feat1.flatten(2)                                        # b, c, n1
    corr = torch.bmm(dst.transpose(1, 2), src) * c ** -0.5
    prob = F.softmax(corr, dim=-1)

    where = pixel_positions(h, w, feat0.device)
    expected = prob @ where                                       # b, n0, 2
    flow = expected - where
    return flow.transpose(1, 2).reshape(b, 2, h, w), prob


class FlowNet(nn.Module):
    def __init__(self, dim=32):
        super().__init__()
        self.backbone = nn.Sequential(
            nn.Conv2d(3, dim, 7, stride=4, padding=3), nn.InstanceNorm2d(dim), nn.ReLU(),
            nn.Conv2d(dim, dim, 3, stride=2, padding=1))

    def forward(self, img0, img1):
        f0, f1 = self.backbone(torch.cat([img0, img1], dim=0)).chunk(2, dim=0)
        flow, _ = match_frames(f0, f1)
        return F.interpolate(flow, scale_factor=8, mode="bilinear", align_corners=True) * 8


if __name__ == "__main__":
    print(FlowNet()(torch.randn(1, 3, 64, 96), torch.randn(1, 3, 64, 96)).shape)
