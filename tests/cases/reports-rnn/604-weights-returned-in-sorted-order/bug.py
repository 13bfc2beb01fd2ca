import torch
import torch.nn as nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence


class AttentionPooling(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.vector = nn.Parameter(torch.randn(size) * 0.1)

    def forward(self, states, lengths):
        logits = states.matmul(self.vector)
        unnorm = (logits - logits.max()).exp()
        mask = (torch.arange(states.size(1))[None, :] < lengths[:, None]).float()
        masked = unnorm * mask
        weights = masked / masked.sum(dim=1, keepdim=True)
        return (states * weights.unsqueeze(-1)).sum(dim=1), weights


class EmojiNet(nn.Module):
    def __init__(self, n_tokens, n_classes, emb=32, hidden=24):
        super().__init__()
        self.embed = nn.Embedding(n_tokens, emb, padding_idx=0)
        self.lstm = nn.LSTM(emb, hidden, batch_first=True, bidirectional=True)
        self.attention = AttentionPooling(2 * hidden)
        self.output = nn.Linear(2 * hidden, n_classes)

    def forward(self, tokens):
        lengths = tokens.ne(0).sum(1)
        lengths, perm_idx = lengths.sort(descending=True)
        packed = pack_padded_sequence(torch.tanh(self.embed(tokens[perm_idx])), lengths, batch_first=True)
        states, _ = pad_packed_sequence(self.lstm(packed)[0], batch_first=True)
        pooled, weights = self.attention(states, lengths)

        # back to the order of the caller
        restore = perm_idx.argsort()
        outputs = self.output(pooled[restore])
        return outputs, weights


if __name__ == "__main__":
    x = torch.tensor([[4, 9, 2, 0, 0, 0], [7, 7, 3, 1, 8, 5], [6, 2, 0, 0, 0, 0], [5, 1, 8, 9, 0, 0]])
    logits, att = EmojiNet(20, 4)(x)
    for sentence, a in zip(x, att):
        print([(int(w), round(float(p), 3)) for w, p in zip(sentence, a) if w])
