import torch
import torch.nn as nn


class AttentiveGRU(nn.Module):
    """Intent classifier. The last GRU output is compared with all the outputs
    and the sentence vector is [last output ; attention summary]."""

    def __init__(self, n_tokens, emb_dim, hid_dim, n_intents):
        super().__init__()
        self.emb = nn.Embedding(n_tokens, emb_dim, padding_idx=0)
        self.gru = nn.GRU(emb_dim, hid_dim, num_layers=2, batch_first=True)
        self.W = nn.Linear(hid_dim, hid_dim, bias=False)
        self.fc = nn.Linear(hid_dim, n_intents)

    def attention(self, outputs):
        last = outputs[:, -1:]
        scores = (self.W(outputs) * last).sum(dim=2)
        weights = torch.softmax(scores, dim=1)
        summary = (weights.unsqueeze(2) * outputs).sum(dim=1)
        return summary, weights

    def forward(self, x):
        outputs, _ = self.gru(self.emb(x))
        summary, weights = self.attention(outputs)
        return self.fc(torch.relu(summary)), weights


def train_step(model, optimizer, x, y):
    model.train()
    optimizer.zero_grad()
    logits, _ = model(x)
    loss = nn.functional.cross_entropy(logits, y)
    loss.backward()
    optimizer.step()
    return loss.item()


if __name__ == "__main__":
    model = AttentiveGRU(n_tokens=500, emb_dim=32, hid_dim=48, n_intents=7)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    x, y = torch.randint(1, 500, (16, 12)), torch.randint(0, 7, (16,))
    print(train_step(model, optimizer, x, y))
