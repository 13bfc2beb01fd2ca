import torch
import torch.nn as nn


class SelfAttentiveEncoder(nn.Module):
    def __init__(self, vocab, emb=100, lstm=64, d_a=48, hops=4):
        super().__init__()
        self.emb = nn.Embedding(vocab, emb, padding_idx=0)
        self.lstm = nn.LSTM(emb, lstm, bidirectional=True, batch_first=True)
        self.ws1 = nn.Linear(2 * lstm, d_a, bias=False)
        self.ws2 = nn.Linear(d_a, hops, bias=False)
        self.hops = hops

    def forward(self, tokens):
        H, _ = self.lstm(self.emb(tokens))
        logits = self.ws2(torch.tanh(self.ws1(H)))                  # (B, T, r)
        logits = logits.masked_fill(tokens.eq(0).unsqueeze(-1), -1e4)
        A = torch.softmax(logits, dim=1).transpose(1, 2)            # (B, r, T)
        return A @ H, A


def redundancy(A):
    """|| A A^T - I ||_F^2, mean over the batch"""
    gram = torch.einsum("brt,brs->bts", A, A)
    eye = torch.eye(A.size(1), device=A.device)
    return (gram - eye).pow(2).sum(dim=(1, 2)).mean()


class Classifier(nn.Module):
    def __init__(self, vocab, n_classes, **kw):
        super().__init__()
        self.encoder = SelfAttentiveEncoder(vocab, **kw)
        width = self.encoder.hops * 2 * self.encoder.lstm.hidden_size
        self.head = nn.Sequential(nn.Linear(width, 128), nn.ReLU(), nn.Linear(128, n_classes))

    def loss(self, tokens, labels, coef=1.0):
        M, A = self.encoder(tokens)
        ce = nn.functional.cross_entropy(self.head(M.flatten(1)), labels)
        return ce + coef * redundancy(A)


model = Classifier(500, 5, hops=4)
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)


def train_step(tokens, labels):
    optimizer.zero_grad()
    loss = model.loss(tokens, labels)
    loss.backward()
    optimizer.step()
    return loss.item()
