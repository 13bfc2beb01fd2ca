import torch
import torch.nn as nn
import torch.nn.functional as F


class HeadEntityDetector(nn.Module):

    def __init__(self, words_dim, hidden_size, target_size):
        super().__init__()
        self.lstm = nn.LSTM(words_dim, hidden_size, num_layers=2, bidirectional=True)
        self.attn = nn.Linear(words_dim + hidden_size * 2, 1)
        self.nonlinear = nn.Tanh()
        self.fc = nn.Linear(words_dim + hidden_size * 2, target_size)

    def forward(self, x):
        # x = (sequence length, batch_size, words_dim)
        seq_len, batch, dim = x.size()
        outputs, _ = self.lstm(x)
        outputs = outputs.view(seq_len * batch, -1)
        x = x.reshape(seq_len * batch, -1)
        feats = torch.cat((x, outputs), 1)
        energy = self.attn(feats)
        weights = F.softmax(energy.view(seq_len, batch, 1), dim=0)
        attended = torch.sum(weights * feats.view(seq_len, batch, -1), 0)
        return self.fc(self.nonlinear(attended))


if __name__ == '__main__':
    net = HeadEntityDetector(12, 7, 5)
    print(net(torch.randn(9, 4, 12)).shape)
