import torch
import torch.nn as nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence


class Encoder(nn.Module):
    def __init__(self, vocab_size, emb_size, hidden_size):
        super(Encoder, self).__init__()
        self.embedding = nn.Embedding(vocab_size, emb_size, padding_idx=0)
        self.lstm = nn.LSTM(emb_size, hidden_size, batch_first=True, bidirectional=True)

    def forward(self, x, lengths):
        sorted_lengths, sort_idx = lengths.sort(descending=True)
        x = x[sort_idx]
        packed = pack_padded_sequence(self.embedding(x), sorted_lengths.cpu(), batch_first=True)
        outputs, _ = self.lstm(packed)
        outputs, _ = pad_packed_sequence(outputs, batch_first=True, total_length=x.size(1))
        return outputs[sort_idx.argsort()]


class TextMatcher(nn.Module):
    """Attends from the question to the words of the answer."""

    def __init__(self, vocab_size, emb_size=50, hidden_size=64):
        super(TextMatcher, self).__init__()
        self.encoder = Encoder(vocab_size, emb_size, hidden_size)
        self.query = nn.Linear(2 * hidden_size, 2 * hidden_size, bias=False)
        self.scorer = nn.Linear(4 * hidden_size, 1)

    def mean(self, states, lengths):
        mask = torch.arange(states.size(1), device=states.device)[None] < lengths[:, None]
        return (states * mask.unsqueeze(-1)).sum(1) / lengths.unsqueeze(1), mask

    def forward(self, question, q_len, answer, a_len):
        q, _ = self.mean(self.encoder(question, q_len), q_len)
        states = self.encoder(answer, a_len)
        _, mask = self.mean(states, a_len)
        scores = torch.bmm(states, self.query(q).unsqueeze(2)).squeeze(2)
        alpha = scores.masked_fill(~mask, -1e9).softmax(dim=1)
        a = torch.bmm(alpha.unsqueeze(1), states).squeeze(1)
        return self.scorer(torch.cat([q, a], dim=1)).squeeze(1)
