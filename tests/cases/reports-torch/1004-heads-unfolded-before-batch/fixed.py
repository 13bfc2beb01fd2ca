import torch
import torch.nn as nn


class RelativeSelfAttention(nn.Module):
    """
    Multi-head self attention with a learned bias per relative distance.
    """
    def __init__(self, emb_dim, num_heads, max_distance=8):
        super(RelativeSelfAttention, self).__init__()
        self.num_heads = num_heads
        self.head_dim = emb_dim // num_heads
        self.max_distance = max_distance
        self.q = nn.Linear(emb_dim, emb_dim)
        self.k = nn.Linear(emb_dim, emb_dim)
        self.v = nn.Linear(emb_dim, emb_dim)
        self.fc = nn.Linear(emb_dim, emb_dim)
        self.distance_bias = nn.Parameter(torch.zeros(2 * max_distance + 1))

    def reshape_from_batches(self, x):
        batch_size, length, emb_dim = x.size()
        x = x.view(batch_size, length, self.num_heads, self.head_dim).permute(0, 2, 1, 3)
        return x.contiguous().view(batch_size * self.num_heads, length, self.head_dim)

    def reshape_to_concat(self, batch_size, x):
        x = x.permute(0, 2, 1, 3)
        return x.contiguous().view(batch_size, -1, self.num_heads * self.head_dim)

    def forward(self, x):
        batch_size, length, _ = x.size()
        q = self.reshape_from_batches(self.q(x))
        k = self.reshape_from_batches(self.k(x))
        v = self.reshape_from_batches(self.v(x))

        pos = torch.arange(length, device=x.device)
        dist = (pos[None, :] - pos[:, None]).clamp(-self.max_distance, self.max_distance) + self.max_distance
        score = torch.bmm(q, k.transpose(1, 2)) / self.head_dim ** 0.5 + self.distance_bias[dist]
        output = torch.bmm(torch.softmax(score, dim=-1), v)

        output = output.view(batch_size, self.num_heads, -1, self.head_dim)
        output = self.reshape_to_concat(batch_size, output)
        return self.fc(output)
