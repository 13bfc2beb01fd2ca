import torch
import torch.nn as nn
import torch.nn.functional as F


class SentimentGRU(nn.Module):
    def __init__(self, vocab, emb=100, hid=128, n_out=2):
        super(SentimentGRU, self).__init__()
        self.emb = nn.Embedding(vocab, emb)
        # changed to batch_first so I can feed the batches of the DataLoader directly
        self.gru = nn.GRU(emb, hid, batch_first=True)
        self.fc = nn.Linear(hid, n_out)

    def forward(self, text):
        out, _ = self.gru(self.emb(text))
        # attention: how similar is each step to the last one
        scores = (out * out[-1]).sum(-1)
        attn = F.softmax(scores, dim=1)
        ctx = (attn.unsqueeze(-1) * out).sum(1)
        return self.fc(ctx), attn


if __name__ == '__main__':
    model = SentimentGRU(vocab=20000)
    x = torch.randint(0, 20000, (64, 30))
    y, attn = model(x)
    print(y.shape, attn.shape)   # torch.Size([64, 2]) torch.Size([64, 30])
