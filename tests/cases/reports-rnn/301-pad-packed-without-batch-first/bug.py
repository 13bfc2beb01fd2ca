import torch
import torch.nn as nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence


class Encoder(nn.Module):
    def __init__(self, vocab_size, embed_dim, hidden_dim):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embed_dim, padding_idx=0)
        self.lstm = nn.LSTM(embed_dim, hidden_dim, batch_first=True)

    def forward(self, src, lengths):
        embedded = self.embedding(src)
        packed = pack_padded_sequence(embedded, lengths, batch_first=True, enforce_sorted=False)
        packed_out, (h, c) = self.lstm(packed)
        outputs, _ = pad_packed_sequence(packed_out)
        return outputs, (h, c)


class LuongAttention(nn.Module):
    def __init__(self, hidden_dim):
        super().__init__()
        self.W = nn.Linear(hidden_dim, hidden_dim, bias=False)

    def forward(self, query, keys, lengths):
        # query: [batch, hidden], keys: [batch, src_len, hidden]
        scores = torch.bmm(self.W(keys), query.unsqueeze(2)).squeeze(2)
        pad = torch.arange(keys.size(1)) >= lengths.unsqueeze(1)
        weights = torch.softmax(scores.masked_fill(pad, -1e9), dim=1)
        context = torch.bmm(weights.unsqueeze(1), keys).squeeze(1)
        return context, weights


if __name__ == "__main__":
    encoder = Encoder(vocab_size=5000, embed_dim=64, hidden_dim=128)
    attention = LuongAttention(128)
    src = torch.randint(1, 5000, (16, 25))
    lengths = torch.tensor([25] + [20] * 15)
    outputs, (h, c) = encoder(src, lengths)
    context, weights = attention(h[-1], outputs, lengths)
    print(context.shape, weights.shape)
