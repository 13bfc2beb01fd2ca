import torch
import torch.nn as nn
from torch.nn.utils.rnn import pad_sequence
from torch.utils.data import DataLoader


def collate(samples):
    ids = [torch.tensor(s["ids"]) for s in samples]
    lengths = torch.tensor([len(x) for x in ids])
    tokens = pad_sequence(ids, batch_first=True, padding_value=0)
    mask = torch.arange(int(lengths.max())).expand(len(ids), -1) < lengths.unsqueeze(1)
    return tokens, mask, torch.tensor([s["intent"] for s in samples])


class IntentNet(nn.Module):
    def __init__(self, vocab, dim, intents):
        super().__init__()
        self.emb = nn.Embedding(vocab, dim, padding_idx=0)
        self.gru = nn.GRU(dim, dim, batch_first=True)
        self.w = nn.Linear(dim, dim)
        self.u = nn.Linear(dim, 1, bias=False)
        self.cls = nn.Linear(dim, intents)

    def forward(self, tokens, mask):
        states, _ = self.gru(self.emb(tokens))
        score = self.u(torch.tanh(self.w(states))).squeeze(-1)
        score = score.masked_fill(~mask, float("-inf"))
        alpha = score.softmax(dim=1)
        return self.cls(torch.einsum("bt,btd->bd", alpha, states))


def main():
    g = torch.Generator().manual_seed(0)
    data = [{"ids": torch.randint(1, 200, (n,), generator=g).tolist(), "intent": n % 6} for n in range(4, 36)]
    net = IntentNet(200, 48, 6)
    opt = torch.optim.Adam(net.parameters(), lr=1e-3)
    for tokens, mask, intent in DataLoader(data, batch_size=8, collate_fn=collate):
        loss = nn.functional.cross_entropy(net(tokens, mask), intent)
        opt.zero_grad()
        loss.backward()
        opt.step()
    return loss.item()


if __name__ == "__main__":
    print(main())
