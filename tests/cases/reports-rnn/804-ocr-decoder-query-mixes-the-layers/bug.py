import torch
import torch.nn as nn
import torch.nn.functional as F


class Attention(nn.Module):
    def __init__(self, enc_dim, dec_dim, attn_dim):
        super().__init__()
        self.enc_proj = nn.Linear(enc_dim, attn_dim)
        self.dec_proj = nn.Linear(dec_dim, attn_dim)
        self.v = nn.Linear(attn_dim, 1, bias=False)

    def forward(self, hidden, encoder_outputs):
        # hidden: [num_layers, batch, dec_dim], encoder_outputs: [batch, width, enc_dim]
        query = hidden.mean(dim=0)
        energy = torch.tanh(self.enc_proj(encoder_outputs) + self.dec_proj(query).unsqueeze(1))
        return F.softmax(self.v(energy).squeeze(2), dim=1)


class LSTMAttnDecoder(nn.Module):
    def __init__(self, num_chars, enc_dim=64, embed_dim=32, hidden=48, num_layers=2):
        super().__init__()
        self.embedding = nn.Embedding(num_chars, embed_dim)
        self.attention = Attention(enc_dim, hidden, 40)
        self.lstm = nn.LSTM(embed_dim + enc_dim, hidden, num_layers, batch_first=True)
        self.init_h = nn.Linear(enc_dim, hidden * num_layers)
        self.num_layers = num_layers
        self.fc = nn.Linear(hidden + enc_dim, num_chars)

    def initial_state(self, encoder_outputs):
        h = torch.tanh(self.init_h(encoder_outputs.mean(dim=1)))
        h = h.view(h.size(0), self.num_layers, -1).transpose(0, 1).contiguous()
        return h, torch.zeros_like(h)

    def forward(self, encoder_outputs, targets):
        h, c = self.initial_state(encoder_outputs)
        logits = []
        for t in range(targets.size(1)):
            embedded = self.embedding(targets[:, t]).unsqueeze(1)
            weights = self.attention(h, encoder_outputs)
            context = torch.bmm(weights.unsqueeze(1), encoder_outputs)
            output, (h, c) = self.lstm(torch.cat((embedded, context), dim=2), (h, c))
            logits.append(self.fc(torch.cat((output, context), dim=2)))
        return torch.cat(logits, dim=1)
