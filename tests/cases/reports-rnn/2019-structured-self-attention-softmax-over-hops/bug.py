import torch
import torch.nn as nn


class StructuredSelfAttention(nn.Module):
    """A Structured Self-attentive Sentence Embedding (Lin et al., 2017)

    A = softmax(W_s2 tanh(W_s1 H^T)),  M = A H
    """

    def __init__(self, vocab_size, emb_dim, lstm_hid, d_a, r, n_classes):
        super().__init__()
        self.embeddings = nn.Embedding(vocab_size, emb_dim)
        self.lstm = nn.LSTM(emb_dim, lstm_hid, batch_first=True, bidirectional=True)
        self.ws1 = nn.Linear(2 * lstm_hid, d_a, bias=False)
        self.ws2 = nn.Linear(d_a, r, bias=False)
        self.fc = nn.Linear(r * 2 * lstm_hid, n_classes)

    def forward(self, x):
        outputs, _ = self.lstm(self.embeddings(x))
        scores = self.ws2(torch.tanh(self.ws1(outputs)))
        A = torch.softmax(scores, dim=2).transpose(1, 2)
        M = A @ outputs                       # (batch, r, 2u)
        logits = self.fc(M.flatten(1))
        return logits, A

    @staticmethod
    def penalty(A):
        eye = torch.eye(A.size(1), device=A.device)
        return ((A @ A.transpose(1, 2) - eye) ** 2).sum((1, 2)).mean()


if __name__ == "__main__":
    model = StructuredSelfAttention(1000, 50, 30, d_a=24, r=6, n_classes=5)
    logits, A = model(torch.randint(0, 1000, (8, 20)))
    loss = nn.functional.cross_entropy(logits, torch.randint(0, 5, (8,))) + 0.1 * model.penalty(A)
    loss.backward()
    print(loss.item())
