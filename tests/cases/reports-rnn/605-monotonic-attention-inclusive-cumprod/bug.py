import torch
import torch.nn as nn
import torch.nn.functional as F


class MonotonicAttention(nn.Module):
    """Soft monotonic attention of Raffel et al. (2017), training mode."""

    def __init__(self, enc_dim, dec_dim, att_dim=32):
        super().__init__()
        self.W = nn.Linear(enc_dim, att_dim)
        self.V = nn.Linear(dec_dim, att_dim, bias=False)
        self.v = nn.utils.parametrizations.weight_norm(nn.Linear(att_dim, 1))
        self.r = nn.Parameter(torch.tensor(-1.0))

    def energy(self, encoder_outputs, decoder_h):
        e = self.v(torch.tanh(self.W(encoder_outputs) + self.V(decoder_h).unsqueeze(1)))
        return e.squeeze(2) + self.r

    def safe_cumprod(self, x):
        """Numerically stable cumulative product in log-space, [batch, length]"""
        logsum = torch.cumsum(torch.log(torch.clamp(x, 1e-10, 1)), dim=1)
        return torch.exp(logsum)

    def forward(self, encoder_outputs, decoder_h, previous_alpha=None):
        p_select = torch.sigmoid(self.energy(encoder_outputs, decoder_h))
        if previous_alpha is None:
            alpha = torch.zeros_like(p_select)
            alpha[:, 0] = 1.0
        else:
            cumprod = self.safe_cumprod(1 - p_select)
            alpha = p_select * cumprod * torch.cumsum(previous_alpha / cumprod.clamp(min=1e-8), dim=1)
        context = torch.bmm(alpha.unsqueeze(1), encoder_outputs).squeeze(1)
        return context, alpha


class Speller(nn.Module):
    def __init__(self, vocab, enc_dim, hidden):
        super().__init__()
        self.embed = nn.Embedding(vocab, hidden)
        self.cell = nn.GRUCell(hidden + enc_dim, hidden)
        self.attention = MonotonicAttention(enc_dim, hidden)
        self.out = nn.Linear(hidden + enc_dim, vocab)

    def forward(self, encoder_outputs, chars):
        h = encoder_outputs.new_zeros(chars.size(0), self.cell.hidden_size)
        context, alpha, logits = encoder_outputs[:, 0], None, []
        for t in range(chars.size(1)):
            h = self.cell(torch.cat((self.embed(chars[:, t]), context), 1), h)
            context, alpha = self.attention(encoder_outputs, h, alpha)
            logits.append(self.out(torch.cat((h, context), 1)))
        return torch.stack(logits, 1), alpha
