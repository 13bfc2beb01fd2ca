import torch
from torch import nn
import torch.nn.functional as F


class LocalPredictiveAttention(nn.Module):
    """Luong et al. 2015, section 3.2: the decoder predicts the centre of a gaussian window."""

    def __init__(self, hidden, window=5):
        super().__init__()
        self.sigma = window / 2
        self.w_p = nn.Linear(hidden, hidden)
        self.v_p = nn.Linear(hidden, 1)
        self.w_a = nn.Linear(hidden, hidden, bias=False)

    def forward(self, query, memory):
        src_len = memory.size(1)
        scores = torch.bmm(self.w_a(query), memory.transpose(1, 2))
        weights = F.softmax(scores, dim=-1)

        p_t = src_len * torch.sigmoid(self.v_p(torch.tanh(self.w_p(query)))).squeeze(-1)
        positions = torch.arange(src_len, device=memory.device, dtype=memory.dtype)
        gauss = torch.exp(-((positions - p_t) ** 2) / (2 * self.sigma ** 2))

        weights = weights * gauss
        return torch.bmm(weights, memory), weights


class Decoder(nn.Module):
    def __init__(self, vocab, emb, hidden):
        super().__init__()
        self.embed = nn.Embedding(vocab, emb)
        self.gru = nn.GRU(emb, hidden, batch_first=True)
        self.attention = LocalPredictiveAttention(hidden)
        self.w_c = nn.Linear(2 * hidden, hidden)
        self.w_s = nn.Linear(hidden, vocab)

    def forward(self, token, state, memory):
        out, state = self.gru(self.embed(token).unsqueeze(1), state)
        context, weights = self.attention(out, memory)
        h_tilde = torch.tanh(self.w_c(torch.cat([context, out], dim=-1)))
        return self.w_s(h_tilde).squeeze(1), state, weights


if __name__ == "__main__":
    dec = Decoder(90, 20, 36)
    logits, state, weights = dec(torch.randint(0, 90, (4,)), torch.zeros(1, 4, 36), torch.randn(4, 12, 36))
    print(logits.shape, weights.shape)
