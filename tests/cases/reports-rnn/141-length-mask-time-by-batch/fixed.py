import torch
import torch.nn as nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence


def sequence_mask(lengths, max_len):
    return torch.arange(max_len)[None, :] < lengths[:, None]


class PackedAttention(nn.Module):
    def __init__(self, in_dim, hid):
        super().__init__()
        self.gru = nn.GRU(in_dim, hid, batch_first=True)
        self.score = nn.Linear(hid, 1)

    def forward(self, x, lengths):
        packed = pack_padded_sequence(x, lengths, batch_first=True, enforce_sorted=False)
        out, _ = self.gru(packed)
        out, _ = pad_packed_sequence(out, batch_first=True)
        e = self.score(out).squeeze(-1)
        mask = sequence_mask(lengths, out.size(1))
        e = e.masked_fill(~mask, float('-inf'))
        a = torch.softmax(e, dim=1)
        return (a.unsqueeze(-1) * out).sum(1)


if __name__ == '__main__':
    net = PackedAttention(3, 5)
    print(net(torch.randn(4, 7, 3), torch.tensor([7, 3, 5, 2])).shape)
