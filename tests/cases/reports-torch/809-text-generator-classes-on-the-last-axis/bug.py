import torch
import torch.nn as nn
import torch.nn.functional as F


class AttentiveLSTM(nn.Module):
    """Next-word model: every LSTM output looks back at the outputs before it."""

    def __init__(self, vocab_size, embed_dim=32, hidden=48, num_layers=2):
        super().__init__()
        self.num_layers, self.hidden = num_layers, hidden
        self.embed = nn.Embedding(vocab_size, embed_dim)
        self.lstm = nn.LSTM(embed_dim, hidden, num_layers, dropout=0.2, batch_first=True)
        self.query = nn.Linear(hidden, hidden, bias=False)
        self.fc = nn.Linear(2 * hidden, vocab_size)

    def init_state(self, batch_size):
        zeros = torch.zeros(self.num_layers, batch_size, self.hidden)
        return zeros, zeros.clone()

    def forward(self, x, state):
        out, state = self.lstm(self.embed(x), state)
        scores = self.query(out) @ out.transpose(1, 2)
        future = torch.ones(x.size(1), x.size(1), dtype=torch.bool).triu(1)
        weights = scores.masked_fill(future, float("-inf")).softmax(dim=-1)
        context = weights @ out
        return self.fc(torch.cat((out, context), dim=-1)), state


def train_step(model, optimizer, inputs, targets, state):
    optimizer.zero_grad()
    output, (sh, sc) = model(inputs, state)
    loss = F.cross_entropy(output, targets)
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), 5)
    optimizer.step()
    return loss.item(), (sh.detach(), sc.detach())


if __name__ == "__main__":
    torch.manual_seed(0)
    text = torch.randint(0, 60, (4, 101))
    model = AttentiveLSTM(60)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    state = model.init_state(4)
    for start in range(0, 100, 25):
        x, y = text[:, start:start + 25], text[:, start + 1:start + 26]
        loss, state = train_step(model, optimizer, x, y, state)
        print(f"{start}: {loss:.3f}")
