import torch
from torch import nn


class PixelRelation(nn.Module):
    """Every pixel of a feature map is refined by all the others."""

    def __init__(self, planes, squeeze=8):
        super().__init__()
        self.f = nn.Conv2d(planes, planes // squeeze, 1)
        self.g = nn.Conv2d(planes, planes // squeeze, 1)
        self.h = nn.Conv2d(planes, planes, 1)
        self.alpha = nn.Parameter(torch.zeros(()))

    def forward(self, fmap):
        n, planes, rows, cols = fmap.shape
        asking = self.f(fmap).flatten(2)
        asked = self.g(fmap).flatten(2)
        content = self.h(fmap).flatten(2)
        relation = torch.bmm(asking, asked).softmax(dim=-1)
        refined = torch.bmm(content, relation.transpose(1, 2))
        return fmap + self.alpha * refined.view(n, planes, rows, cols)


class SceneParser(nn.Module):
    def __init__(self, planes, n_classes):
        super().__init__()
        self.relation = PixelRelation(planes)
        self.classify = nn.Conv2d(planes, n_classes, 1)

    def forward(self, fmap):
        return self.classify(self.relation(fmap))


if __name__ == "__main__":
    parser = SceneParser(64, 19)
    print(parser(torch.randn(2, 64, 12, 16)).shape)
