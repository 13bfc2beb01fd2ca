import torch
import torch.nn as nn


class SparseRetrieval(nn.Module):
    """Each frame of the query clip reads from the k most similar frames of a long video."""

    def __init__(self, feat_dim, num_heads, topk=8):
        super().__init__()
        self.num_heads = num_heads
        self.topk = topk
        self.q = nn.Linear(feat_dim, feat_dim)
        self.kv = nn.Linear(feat_dim, feat_dim * 2)
        self.o = nn.Linear(feat_dim, feat_dim)

    def forward(self, clip, video, return_weights=False):
        B, Tc, C = clip.shape
        Tv = video.shape[1]
        H, D = self.num_heads, C // self.num_heads

        q = self.q(clip).view(B, Tc, H, D).transpose(1, 2)
        k, v = self.kv(video).view(B, Tv, 2, H, D).permute(2, 0, 3, 1, 4)
        sim = q @ k.transpose(-1, -2) / D ** 0.5

        if self.topk < Tv:
            kth = sim.topk(self.topk, dim=-1).values[..., -1:]
            sim = sim.masked_fill(sim >= kth, float('-inf'))
        weights = sim.softmax(-1)

        out = self.o((weights @ v).transpose(1, 2).reshape(B, Tc, C))
        return (out, weights) if return_weights else out


if __name__ == '__main__':
    m = SparseRetrieval(64, 4)
    print(m(torch.randn(2, 10, 64), torch.randn(2, 200, 64)).shape)
