import torch
import torch.nn as nn


class RelativeSelfAttention(nn.Module):
    """Self-attention with clipped relative key embeddings (Shaw et al.)."""

    def __init__(self, model_dim, heads, max_distance=16):
        super().__init__()
        self.heads = heads
        self.head_dim = model_dim // heads
        self.max_distance = max_distance
        self.rel_keys = nn.Embedding(2 * max_distance + 1, self.head_dim)
        self.in_proj = nn.Linear(model_dim, 3 * model_dim)
        self.out_proj = nn.Linear(model_dim, model_dim)

    def _relative_scores(self, query):
        B, H, T, d = query.shape
        pos = torch.arange(T, device=query.device)
        dist = (pos[None, :] - pos[:, None]).clamp(-self.max_distance, self.max_distance)
        table = self.rel_keys(dist + self.max_distance)          # T x T x d

        # one matrix product per query position instead of a B x H x T x T x d tensor
        q = query.permute(2, 0, 1, 3).reshape(T, B * H, d)
        scores = torch.matmul(q, table.transpose(1, 2))          # T x B*H x T
        return scores.view(T, B, H, T).permute(1, 2, 0, 3)

    def forward(self, x, pad=None):
        B, T, C = x.shape
        q, k, v = self.in_proj(x).chunk(3, dim=-1)
        q, k, v = [t.view(B, T, self.heads, self.head_dim).transpose(1, 2) for t in (q, k, v)]
        q = q / self.head_dim ** 0.5

        energy = torch.matmul(q, k.transpose(-2, -1)) + self._relative_scores(q)
        if pad is not None:
            energy = energy.masked_fill(pad[:, None, None, :], torch.finfo(energy.dtype).min)
        out = torch.matmul(energy.softmax(-1), v)
        return self.out_proj(out.transpose(1, 2).reshape(B, T, C))


if __name__ == "__main__":
    torch.manual_seed(0)
    layer = RelativeSelfAttention(32, 4)
    print(layer(torch.randn(2, 9, 32)).shape)
