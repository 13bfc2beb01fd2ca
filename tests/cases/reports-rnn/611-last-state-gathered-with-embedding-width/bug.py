import torch
import torch.nn as nn
import torch.nn.functional as F


class Encoder(nn.Module):
    def __init__(self, vocab_size, embedding_size, hidden_size):
        super().__init__()
        self.embed = nn.Embedding(vocab_size, embedding_size)
        self.rnn = nn.GRU(embedding_size, hidden_size, batch_first=True)

    def forward(self, x, x_lengths):
        embedded = self.embed(x)
        hiddens, _ = self.rnn(embedded)
        # state of the last real word of every sentence
        last = (x_lengths - 1).view(-1, 1, 1).expand(-1, 1, embedded.size(2))
        h = hiddens.gather(1, last).permute(1, 0, 2)
        return hiddens, h.contiguous()


class AttnDecoder(nn.Module):
    def __init__(self, vocab_size, embedding_size, hidden_size):
        super().__init__()
        self.embed = nn.Embedding(vocab_size, embedding_size)
        self.rnn = nn.GRU(embedding_size, hidden_size, batch_first=True)
        self.bilinear = nn.Linear(hidden_size, hidden_size, bias=False)
        self.concat = nn.Linear(2 * hidden_size, hidden_size)
        self.out = nn.Linear(hidden_size, vocab_size)

    def forward(self, y, h, ctx, x_lengths):
        output, h = self.rnn(self.embed(y), h)
        scores = torch.bmm(self.bilinear(output), ctx.transpose(1, 2))    # B * T_y * T_x
        pad = torch.arange(ctx.size(1))[None, :] >= x_lengths[:, None]
        alpha = F.softmax(scores.masked_fill(pad.unsqueeze(1), -1e9), dim=2)
        context = torch.bmm(alpha, ctx)
        output = torch.tanh(self.concat(torch.cat([context, output], 2)))
        return F.log_softmax(self.out(output), -1), h, alpha


if __name__ == "__main__":
    encoder, decoder = Encoder(1000, 300, 128), AttnDecoder(1200, 300, 128)
    x, lengths = torch.randint(0, 1000, (16, 6)), torch.randint(2, 7, (16,))
    hiddens, h = encoder(x, lengths)
    pred, _, _ = decoder(torch.randint(0, 1200, (16, 5)), h, hiddens, lengths)
    print(pred.shape)
