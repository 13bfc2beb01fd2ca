import torch
import torch.nn as nn
import torch.nn.functional as F


class AttentionLayer(nn.Module):
    def __init__(self, query_dim, memory_dim, out_dim):
        super().__init__()
        self.input_proj = nn.Linear(query_dim, memory_dim, bias=False)
        self.output_proj = nn.Linear(query_dim + memory_dim, out_dim, bias=False)

    def forward(self, query, memory, pad_mask):
        # query: bsz x dim, memory: srclen x bsz x dim, pad_mask: srclen x bsz
        x = self.input_proj(query)
        scores = (memory * x.unsqueeze(0)).sum(dim=2)
        if pad_mask is not None:
            scores = scores.masked_fill(pad_mask, float("-inf"))
        weights = F.softmax(scores, dim=0)
        x = (weights.unsqueeze(2) * memory).sum(dim=0)
        return torch.tanh(self.output_proj(torch.cat((x, query), dim=1))), weights


class LSTMDecoder(nn.Module):
    def __init__(self, n_words, embed_dim, hidden, memory_dim, pad=1):
        super().__init__()
        self.hidden = hidden
        self.embed = nn.Embedding(n_words, embed_dim, padding_idx=pad)
        self.rnn = nn.LSTMCell(embed_dim + hidden, hidden)
        self.attention = AttentionLayer(hidden, memory_dim, hidden)
        self.fc_out = nn.Linear(hidden, n_words)

    def forward(self, prev_tokens, memory, pad_mask=None):
        bsz, seqlen = prev_tokens.shape
        x = self.embed(prev_tokens).transpose(0, 1)  # B x T x C -> T x B x C
        h = x.new_zeros(bsz, self.hidden)
        c = x.new_zeros(bsz, self.hidden)
        input_feed = memory.new_zeros(memory.size(0), self.hidden)
        outs = []
        for j in range(seqlen):
            h, c = self.rnn(torch.cat((x[j], input_feed), dim=1), (h, c))
            input_feed, _ = self.attention(h, memory, pad_mask)
            outs.append(input_feed)
        x = torch.stack(outs, dim=0).transpose(1, 0)
        return self.fc_out(x)


if __name__ == "__main__":
    decoder = LSTMDecoder(n_words=60, embed_dim=24, hidden=32, memory_dim=40)
    encoder_states = torch.randn(13, 4, 40)
    print(decoder(torch.randint(2, 60, (4, 7)), encoder_states).shape)
