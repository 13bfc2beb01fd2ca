import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence


def padding_mask(lengths, max_len):
    return torch.arange(max_len)[None, :] >= lengths[:, None]


class MultiHeadSelfAttention(nn.Module):
    def __init__(self, n_head, d_in, d_hidden):
        super().__init__()
        self.w_1 = nn.Linear(d_in, d_hidden, bias=False)
        self.w_2 = nn.Linear(d_hidden, n_head, bias=False)

    def forward(self, x, mask):
        attn = self.w_2(torch.tanh(self.w_1(x)))                   # (B, T, n_head)
        attn = F.softmax(attn.masked_fill(mask.unsqueeze(2), float("-inf")), dim=1)
        return torch.bmm(attn.transpose(1, 2), x), attn


class PIENet(nn.Module):
    def __init__(self, n_embeds, d_in, d_out, d_h):
        super().__init__()
        self.attention = MultiHeadSelfAttention(n_embeds, d_in, d_h)
        self.fc = nn.Linear(d_in, d_out)
        self.norm = nn.LayerNorm(d_out)

    def forward(self, out, x, mask):
        residual, attn = self.attention(x, mask)
        return self.norm(out.unsqueeze(1) + torch.sigmoid(self.fc(residual))), attn


class EncoderText(nn.Module):
    def __init__(self, vocab_size, word_dim=32, embed_size=40, num_embeds=3):
        super().__init__()
        self.embed = nn.Embedding(vocab_size, word_dim)
        self.rnn = nn.GRU(word_dim, embed_size // 2, bidirectional=True, batch_first=True)
        self.pie_net = PIENet(num_embeds, word_dim, embed_size, word_dim // 2)

    def forward(self, x, lengths):
        wemb = self.embed(x)
        packed = pack_padded_sequence(wemb, lengths.cpu(), batch_first=True, enforce_sorted=False)
        rnn_out, h_n = self.rnn(packed)
        padded, _ = pad_packed_sequence(rnn_out, batch_first=True)
        index = (lengths - 1).view(-1, 1, 1).expand(-1, 1, padded.size(2))
        out = torch.cat((h_n[0], h_n[1]), dim=1)
        out, attn = self.pie_net(out, wemb, padding_mask(lengths, wemb.size(1)))
        return F.normalize(out, dim=-1), attn
