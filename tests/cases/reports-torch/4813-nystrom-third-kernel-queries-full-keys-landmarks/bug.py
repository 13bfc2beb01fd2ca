import torch
import torch.nn as nn


def iterative_inverse(mat, n_iter=6):
    eye = torch.eye(mat.size(-1), device=mat.device)
    z = mat.transpose(-1, -2) / (mat.abs().sum(-1).max() * mat.abs().sum(-2).max())
    for _ in range(n_iter):
        mz = mat @ z
        z = 0.25 * z @ (13 * eye - mz @ (15 * eye - mz @ (7 * eye - mz)))
    return z


class NystromAttention(nn.Module):
    def __init__(self, dim, num_head=2, num_landmarks=16):
        super().__init__()
        self.num_head = num_head
        self.head_dim = dim // num_head
        self.num_landmarks = num_landmarks
        self.W_qkv = nn.Linear(dim, 3 * dim)
        self.ff = nn.Linear(dim, dim)

    def landmarks(self, t):
        b, h, n, d = t.shape
        return t.reshape(b, h, self.num_landmarks, n // self.num_landmarks, d).mean(dim=-2)

    def forward(self, X):
        B, N, D = X.shape
        Q, K, V = self.W_qkv(X).view(B, N, 3, self.num_head, self.head_dim).permute(2, 0, 3, 1, 4)
        Q = Q / self.head_dim ** 0.25
        K = K / self.head_dim ** 0.25

        Q_l, K_l = self.landmarks(Q), self.landmarks(K)
        kernel_1 = torch.softmax(Q @ K_l.transpose(-1, -2), dim=-1)
        kernel_2 = torch.softmax(Q_l @ K_l.transpose(-1, -2), dim=-1)
        kernel_3 = torch.softmax(K @ Q_l.transpose(-1, -2), dim=-1)
        out = (kernel_1 @ iterative_inverse(kernel_2)) @ (kernel_3 @ V)
        return self.ff(out.transpose(1, 2).reshape(B, N, D))


if __name__ == "__main__":
    layer = NystromAttention(64)
    print(layer(torch.randn(2, 256, 64)).shape)
