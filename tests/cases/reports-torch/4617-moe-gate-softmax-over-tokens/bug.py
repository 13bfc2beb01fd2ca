import torch
import torch.nn as nn
import torch.nn.functional as F


class Expert(nn.Module):
    def __init__(self, dim, head_dim):
        super().__init__()
        self.head_dim = head_dim
        self.q = nn.Linear(dim, head_dim, bias=False)
        self.o = nn.Linear(head_dim, dim, bias=False)

    def forward(self, x, k, v):
        return self.o(F.scaled_dot_product_attention(self.q(x), k, v, is_causal=True))


class MixtureOfAttentionHeads(nn.Module):
    """Every token picks top_k of the query heads; keys and values are shared."""

    def __init__(self, dim, head_dim=32, num_experts=6, top_k=2):
        super().__init__()
        self.top_k = top_k
        self.router = nn.Linear(dim, num_experts, bias=False)
        self.kv = nn.Linear(dim, 2 * head_dim, bias=False)
        self.experts = nn.ModuleList(Expert(dim, head_dim) for _ in range(num_experts))

    def route(self, x):
        logits = self.router(x)
        probs = F.softmax(logits, dim=1)
        weight, index = probs.topk(self.top_k, dim=-1)
        return torch.zeros_like(probs).scatter(-1, index, weight), probs

    def forward(self, x):
        gates, probs = self.route(x)
        k, v = self.kv(x).chunk(2, dim=-1)
        heads = torch.stack([e(x, k, v) for e in self.experts], dim=2)
        y = (gates.unsqueeze(-1) * heads).sum(dim=2)
        load = (gates > 0).float().mean(dim=(0, 1))
        aux = len(self.experts) * (load * probs.mean(dim=(0, 1))).sum()
        return y, aux
