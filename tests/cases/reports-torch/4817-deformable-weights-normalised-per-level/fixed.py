import torch
import torch.nn as nn
import torch.nn.functional as F


class DeformableAttention(nn.Module):
    def __init__(self, d_model=64, n_levels=3, n_heads=4, n_points=4):
        super().__init__()
        self.d_model, self.n_levels, self.n_heads, self.n_points = d_model, n_levels, n_heads, n_points
        self.sampling_offsets = nn.Linear(d_model, n_heads * n_levels * n_points * 2)
        self.attention_weights = nn.Linear(d_model, n_heads * n_levels * n_points)
        self.value_proj = nn.Linear(d_model, d_model)
        self.output_proj = nn.Linear(d_model, d_model)

    def forward(self, query, reference_points, value, shapes):
        """
        query            (N, Lq, C)
        reference_points (N, Lq, 2) in [0, 1]
        value            (N, sum(H*W), C)
        shapes           [(H, W), ...] of the levels
        """
        N, Lq, C = query.shape
        H, L, P = self.n_heads, self.n_levels, self.n_points
        value = self.value_proj(value).view(N, -1, H, C // H)
        offsets = self.sampling_offsets(query).view(N, Lq, H, L, P, 2)
        weights = self.attention_weights(query).view(N, Lq, H, L * P)
        weights = F.softmax(weights, -1)

        sampled = []
        for lvl, (part, (h, w)) in enumerate(zip(value.split([h * w for h, w in shapes], dim=1), shapes)):
            grid = part.permute(0, 2, 3, 1).reshape(N * H, C // H, h, w)
            loc = reference_points[:, :, None, None] + offsets[:, :, :, lvl] / torch.tensor([w, h], device=query.device)
            loc = (2 * loc - 1).transpose(1, 2).flatten(0, 1)
            sampled.append(F.grid_sample(grid, loc, align_corners=False))
        sampled = torch.cat(sampled, dim=-1)                                  # N*H, C/H, Lq, L*P
        weights = weights.transpose(1, 2).reshape(N * H, 1, Lq, L * P)
        out = (sampled * weights).sum(-1).view(N, C, Lq)
        return self.output_proj(out.transpose(1, 2))
