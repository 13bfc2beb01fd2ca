import torch
import torch.nn as nn


class GMMAttention(nn.Module):
    def __init__(self, query_dim, num_mixtures):
        super().__init__()
        self.num_mixtures = num_mixtures
        self.mlp = nn.Sequential(nn.Linear(query_dim, query_dim), nn.Tanh(), nn.Linear(query_dim, 3 * num_mixtures))

    def forward(self, query, memory, prev_kappa):
        """
        query       (B, query_dim)
        memory      (B, T_in, D)
        prev_kappa  (B, K)
        """
        alpha_hat, beta_hat, kappa_hat = self.mlp(query).chunk(3, dim=1)
        alpha = torch.exp(alpha_hat).unsqueeze(2)
        beta = torch.exp(beta_hat).unsqueeze(2)
        kappa = prev_kappa + torch.exp(kappa_hat)
        positions = torch.arange(memory.size(1), dtype=memory.dtype)
        phi = alpha * torch.exp(-beta * (kappa - positions) ** 2)
        weights = phi.sum(dim=1)
        context = torch.bmm(weights.unsqueeze(1), memory).squeeze(1)
        return context, weights, kappa


if __name__ == "__main__":
    att = GMMAttention(24, 5)
    context, weights, kappa = att(torch.randn(2, 24), torch.randn(2, 16, 8), torch.zeros(2, 5))
    print(context.shape, weights.shape)
