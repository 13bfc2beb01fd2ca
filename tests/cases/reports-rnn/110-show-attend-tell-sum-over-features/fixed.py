import torch
import torch.nn as nn


class Attention(nn.Module):
    def __init__(self, encoder_dim, decoder_dim):
        super(Attention, self).__init__()
        self.U = nn.Linear(decoder_dim, 512)
        self.W = nn.Linear(encoder_dim, 512)
        self.v = nn.Linear(512, 1)
        self.tanh = nn.Tanh()
        self.softmax = nn.Softmax(1)

    def forward(self, img_features, hidden_state):
        # img_features: (batch, num_regions, encoder_dim)
        U_h = self.U(hidden_state).unsqueeze(1)
        W_s = self.W(img_features)
        att = self.tanh(W_s + U_h)
        e = self.v(att).squeeze(2)
        alpha = self.softmax(e)
        context = (img_features * alpha.unsqueeze(2)).sum(1)
        return context, alpha


class Gate(nn.Module):
    def __init__(self, decoder_dim):
        super(Gate, self).__init__()
        self.f_beta = nn.Linear(decoder_dim, 1)

    def forward(self, h, context):
        return torch.sigmoid(self.f_beta(h)) * context
