import torch
import torch.nn as nn
import torch.nn.functional as F


class LSTMAttentionTagger(nn.Module):
    def __init__(self, n_features, hidden, n_out, n_layers=2):
        super().__init__()
        self.lstm = nn.LSTM(n_features, hidden, n_layers, batch_first=True)
        self.fc = nn.Linear(hidden * 2, n_out)

    def attention(self, lstm_out, last):
        weights = torch.bmm(lstm_out, last.unsqueeze(2)).squeeze(2)
        soft = F.softmax(weights, 1)
        return torch.bmm(lstm_out.transpose(1, 2), soft.unsqueeze(2)).squeeze(2)

    def forward(self, x):
        out, _ = self.lstm(x)
        last = out[-1]
        ctx = self.attention(out, last)
        return self.fc(torch.cat((ctx, last), dim=1))


model = LSTMAttentionTagger(4, 16, 1)
batch = torch.randn(32, 24, 4)   # 32 windows of 24 hours, 4 sensors
print(model(batch).shape)
