import torch
from torch import nn


class SoftAttention(nn.Module):
    def __init__(self, d_img, d_rnn, d_att):
        super().__init__()
        self.img = nn.Linear(d_img, d_att)
        self.rnn = nn.Linear(d_rnn, d_att)
        self.full = nn.Linear(d_att, 1)

    def forward(self, regions, h):
        e = self.full(torch.relu(self.img(regions) + self.rnn(h).unsqueeze(1))).squeeze(2)
        alpha = e.softmax(dim=1)
        z = torch.bmm(alpha.unsqueeze(1), regions).squeeze(1)
        return z, alpha


class CaptionStep(nn.Module):
    """Deep output layer: p(word) from the embedding, the state and the gated context."""

    def __init__(self, n_words, d_img, d_rnn, d_emb, d_att):
        super().__init__()
        self.attend = SoftAttention(d_img, d_rnn, d_att)
        self.word = nn.Embedding(n_words, d_emb)
        self.gate = nn.Linear(d_rnn, d_img)
        self.L_h = nn.Linear(d_rnn, d_emb)
        self.L_z = nn.Linear(d_img, d_emb)
        self.L_o = nn.Linear(d_emb, n_words)

    def forward(self, word, h, regions):
        z, alpha = self.attend(regions, h)
        z = torch.sigmoid(self.gate(h)) * z
        logits = self.L_o(self.word(word) + self.L_h(h) + self.L_z(z))
        return logits, alpha


if __name__ == "__main__":
    step = CaptionStep(50, 24, 16, 12, 20)
    logits, alpha = step(torch.randint(0, 50, (4,)), torch.randn(4, 16), torch.randn(4, 49, 24))
    print(logits.argmax(-1), alpha.sum(1))
