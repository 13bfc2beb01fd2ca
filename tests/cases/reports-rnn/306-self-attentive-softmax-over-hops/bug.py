import torch
import torch.nn as nn
import torch.nn.functional as F


class StructuredSelfAttention(nn.Module):
    """A = softmax(W_s2 tanh(W_s1 H^T)), M = A H   (Lin et al. 2017)"""

    def __init__(self, vocab_size, emb_dim, u, d_a=350, r=30, n_classes=5):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, emb_dim)
        self.lstm = nn.LSTM(emb_dim, u, batch_first=True, bidirectional=True)
        self.W_s1 = nn.Linear(2 * u, d_a, bias=False)
        self.W_s2 = nn.Linear(d_a, r, bias=False)
        self.mlp = nn.Linear(r * 2 * u, n_classes)

    def forward(self, x):
        H, _ = self.lstm(self.embedding(x))              # [B, n, 2u]
        A = self.W_s2(torch.tanh(self.W_s1(H)))          # [B, n, r]
        A = A.transpose(1, 2)                            # [B, r, n]
        A = F.softmax(A, dim=1)
        M = A @ H                                        # [B, r, 2u]
        return self.mlp(M.flatten(1)), A


def penalization(A):
    """|| A A^T - I ||_F^2"""
    AAT = torch.bmm(A, A.transpose(1, 2))
    I = torch.eye(A.size(1), device=A.device)
    return ((AAT - I) ** 2).sum((1, 2)).mean()


model = StructuredSelfAttention(vocab_size=1000, emb_dim=50, u=60, d_a=35, r=8)
logits, A = model(torch.randint(0, 1000, (16, 40)))
loss = F.cross_entropy(logits, torch.randint(0, 5, (16,))) + 0.03 * penalization(A)
loss.backward()
