import math

import torch
import torch.nn as nn


class DifferentialAttention(nn.Module):
    def __init__(self, d_model, num_heads, depth=1):
        super().__init__()
        self.num_heads = num_heads
        self.d_head = d_model // num_heads
        self.W_q = nn.Linear(d_model, 2 * d_model, bias=False)
        self.W_k = nn.Linear(d_model, 2 * d_model, bias=False)
        self.W_v = nn.Linear(d_model, d_model, bias=False)
        self.W_o = nn.Linear(d_model, d_model, bias=False)
        self.lambda_init = 0.8 - 0.6 * math.exp(-0.3 * (depth - 1))
        self.lambda_q1 = nn.Parameter(torch.randn(num_heads, self.d_head) * 0.1)
        self.lambda_k1 = nn.Parameter(torch.randn(num_heads, self.d_head) * 0.1)
        self.lambda_q2 = nn.Parameter(torch.randn(num_heads, self.d_head) * 0.1)
        self.lambda_k2 = nn.Parameter(torch.randn(num_heads, self.d_head) * 0.1)

    def dot(self, a, b):
        return torch.sum(a * b, dim=-1)

    def forward(self, x):
        B, N, _ = x.shape
        split = lambda t: t.view(B, N, self.num_heads, -1).transpose(1, 2)
        q1, q2 = split(self.W_q(x)).chunk(2, dim=-1)
        k1, k2 = split(self.W_k(x)).chunk(2, dim=-1)
        v = split(self.W_v(x))

        mask = torch.full((N, N), float("-inf")).triu(1)
        scale = self.d_head ** -0.5
        a1 = (q1 @ k1.transpose(-2, -1) * scale + mask).softmax(dim=-1)
        a2 = (q2 @ k2.transpose(-2, -1) * scale + mask).softmax(dim=-1)

        lam = self.dot(self.lambda_q1, self.lambda_k1).exp() - self.dot(self.lambda_q2, self.lambda_k2).exp()
        lam = (lam + self.lambda_init).view(1, self.num_heads, 1, 1)
        out = (a1 - lam * a2) @ v
        out = out.transpose(1, 2).reshape(B, N, -1) * (1 - self.lambda_init)
        return self.W_o(out)


if __name__ == "__main__":
    attn = DifferentialAttention(64, 4)
    print(attn(torch.randn(2, 9, 64)).shape)
