import torch
import torch.nn as nn
import torch.nn.functional as F


class SelfAttention(nn.Module):
    def __init__(self, hidden_dim):
        super().__init__()
        self.projection = nn.Sequential(
            nn.Linear(hidden_dim, 64),
            nn.ReLU(True),
            nn.Linear(64, 1)
        )

    def forward(self, encoder_outputs):
        # (B, L, H) -> (B, L, 1)
        energy = self.projection(encoder_outputs)
        weights = F.softmax(energy)
        # (B, L, H) * (B, L, 1) -> (B, H)
        outputs = (encoder_outputs * weights).sum(dim=1)
        return outputs, weights


class AttnClassifier(nn.Module):
    def __init__(self, input_dim, embedding_dim, hidden_dim):
        super().__init__()
        self.embedding = nn.Embedding(input_dim, embedding_dim)
        self.lstm = nn.LSTM(embedding_dim, hidden_dim, bidirectional=True, batch_first=True)
        self.attention = SelfAttention(hidden_dim)
        self.fc = nn.Linear(hidden_dim, 1)

    def forward(self, x):
        outputs, hidden = self.lstm(self.embedding(x))
        outputs = outputs[:, :, :outputs.size(2) // 2] + outputs[:, :, outputs.size(2) // 2:]
        embedding, attn_weights = self.attention(outputs)
        return self.fc(embedding.view(x.size(0), -1)), attn_weights
