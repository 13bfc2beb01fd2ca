import torch
import torch.nn as nn
from einops import rearrange, repeat


class LatentCrossAttention(nn.Module):
    def __init__(self, latent_dim: int, input_dim: int, num_heads: int):
        super().__init__()
        self.num_heads = num_heads
        self.norm_latents = nn.LayerNorm(latent_dim)
        self.norm_inputs = nn.LayerNorm(input_dim)
        self.q = nn.Linear(latent_dim, latent_dim)
        self.k = nn.Linear(input_dim, input_dim)
        self.v = nn.Linear(input_dim, latent_dim)
        self.out = nn.Linear(latent_dim, latent_dim)

    def forward(self, latents, inputs):
        lat, inp = self.norm_latents(latents), self.norm_inputs(inputs)
        q, k, v = (rearrange(t, "b n (h d) -> b h n d", h=self.num_heads) for t in (self.q(lat), self.k(inp), self.v(inp)))
        logits = torch.einsum("bhid,bhjd->bhij", q, k) * q.shape[-1] ** -0.5
        mixed = torch.einsum("bhij,bhjd->bhid", logits.softmax(dim=-1), v)
        return latents + self.out(rearrange(mixed, "b h n d -> b n (h d)"))


class PointCloudPerceiver(nn.Module):
    def __init__(self, point_dim: int = 64, num_latents: int = 32, latent_dim: int = 256, classes: int = 40):
        super().__init__()
        self.lift = nn.Sequential(nn.Linear(3, point_dim), nn.GELU(), nn.Linear(point_dim, point_dim))
        self.latents = nn.Parameter(torch.randn(num_latents, latent_dim) * 0.02)
        self.read = LatentCrossAttention(latent_dim, point_dim, num_heads=8)
        self.head = nn.Linear(latent_dim, classes)

    def forward(self, points):
        latents = repeat(self.latents, "n d -> b n d", b=points.shape[0])
        return self.head(self.read(latents, self.lift(points)).mean(dim=1))


if __name__ == "__main__":
    net = PointCloudPerceiver()
    print(net(torch.rand(4, 1024, 3)).shape)
