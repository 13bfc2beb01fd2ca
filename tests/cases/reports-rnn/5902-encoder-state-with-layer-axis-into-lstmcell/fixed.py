import torch
from torch import nn


class Summarizer(nn.Module):
    def __init__(self, n_words, d_emb, d_hid):
        super().__init__()
        self.emb = nn.Embedding(n_words, d_emb)
        self.encoder = nn.LSTM(d_emb, d_hid, batch_first=True)
        self.cell = nn.LSTMCell(d_emb + d_hid, d_hid)
        self.w_key = nn.Linear(d_hid, d_hid, bias=False)
        self.out = nn.Linear(2 * d_hid, n_words)

    def step(self, word, feed, state, memory, keys):
        h, c = self.cell(torch.cat([self.emb(word), feed], dim=-1), state)
        energy = torch.bmm(keys, h.unsqueeze(2)).squeeze(2)
        weights = energy.softmax(dim=1)
        feed = torch.bmm(weights.unsqueeze(1), memory).squeeze(1)
        return self.out(torch.cat([h, feed], dim=-1)), feed, (h, c)

    def forward(self, article, summary):
        memory, (h, c) = self.encoder(self.emb(article))
        keys = self.w_key(memory)
        state = (h[-1], c[-1])
        feed = memory.new_zeros(memory.size(0), memory.size(2))
        logits = []
        for t in range(summary.size(1) - 1):
            scores, feed, state = self.step(summary[:, t], feed, state, memory, keys)
            logits.append(scores)
        return torch.stack(logits, dim=1)


model = Summarizer(n_words=500, d_emb=24, d_hid=32)
articles = torch.randint(0, 500, (8, 60))
summaries = torch.randint(0, 500, (8, 12))
loss = nn.functional.cross_entropy(model(articles, summaries).flatten(0, 1), summaries[:, 1:].flatten())
print(loss.item())
