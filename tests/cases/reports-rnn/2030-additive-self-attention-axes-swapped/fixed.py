import torch
import torch.nn as nn


class AdditiveSelfAttention(nn.Module):
    def __init__(self, d_in, num_hiddens, dropout=0.0):
        super().__init__()
        self.W_q = nn.Linear(d_in, num_hiddens, bias=False)
        self.W_k = nn.Linear(d_in, num_hiddens, bias=False)
        self.w_v = nn.Linear(num_hiddens, 1, bias=False)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x, valid_lens=None):
        queries, keys = self.W_q(x), self.W_k(x)
        # broadcast sum over every (query, key) pair
        features = queries.unsqueeze(2) + keys.unsqueeze(1)
        scores = self.w_v(torch.tanh(features)).squeeze(-1)
        if valid_lens is not None:
            pos = torch.arange(x.size(1), device=x.device)
            scores = scores.masked_fill(pos[None, None, :] >= valid_lens[:, None, None], -1e6)
        self.attention_weights = torch.softmax(scores, dim=-1)
        return torch.bmm(self.dropout(self.attention_weights), x)


class Tagger(nn.Module):
    def __init__(self, vocab_size, emb_dim, hidden, n_tags):
        super().__init__()
        self.emb = nn.Embedding(vocab_size, emb_dim)
        self.lstm = nn.LSTM(emb_dim, hidden, bidirectional=True, batch_first=True)
        self.att = AdditiveSelfAttention(2 * hidden, 32)
        self.out = nn.Linear(2 * hidden, n_tags)

    def forward(self, ids, lengths):
        h, _ = self.lstm(self.emb(ids))
        return self.out(self.att(h, lengths))


if __name__ == "__main__":
    model = Tagger(300, 20, 16, 9)
    print(model(torch.randint(0, 300, (4, 10)), torch.tensor([10, 8, 5, 2])).shape)
