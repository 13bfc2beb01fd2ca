import torch
import torch.nn as nn


class TwoWayCrossBlock(nn.Module):
    """Keypoints of two images attend to each other through one shared similarity matrix."""

    def __init__(self, dim, num_heads):
        super().__init__()
        self.heads = num_heads
        self.scale = (dim // num_heads) ** -0.5
        self.to_qk = nn.Linear(dim, dim)
        self.to_v = nn.Linear(dim, dim)
        self.to_out = nn.Linear(dim, dim)
        self.ffn = nn.Sequential(nn.Linear(2 * dim, 2 * dim), nn.LayerNorm(2 * dim), nn.GELU(), nn.Linear(2 * dim, dim))

    def split(self, t):
        return t.unflatten(-1, (self.heads, -1)).transpose(1, 2)

    def forward(self, x0, x1):
        qk0, qk1 = self.split(self.to_qk(x0)), self.split(self.to_qk(x1))
        v0, v1 = self.split(self.to_v(x0)), self.split(self.to_v(x1))

        qk0, qk1 = qk0 * self.scale ** 0.5, qk1 * self.scale ** 0.5
        sim = torch.einsum("bhid,bhjd->bhij", qk0, qk1)
        attn01 = sim.softmax(dim=-1)
        attn10 = sim.transpose(-2, -1).softmax(dim=-1)
        m0 = torch.matmul(attn01, v1)
        m1 = torch.matmul(attn10.transpose(-2, -1), v0)

        m0, m1 = (self.to_out(m.transpose(1, 2).flatten(2)) for m in (m0, m1))
        x0 = x0 + self.ffn(torch.cat([x0, m0], dim=-1))
        x1 = x1 + self.ffn(torch.cat([x1, m1], dim=-1))
        return x0, x1


if __name__ == "__main__":
    block = TwoWayCrossBlock(64, 4)
    desc0, desc1 = torch.randn(1, 50, 64), torch.randn(1, 37, 64)
    y0, y1 = block(desc0, desc1)
    print(y0.shape, y1.shape)
