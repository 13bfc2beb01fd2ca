import math

import torch
from torch import nn


class IntentClassifier(nn.Module):

    def __init__(self, vocab, n_intents, d_model=128, nhead=4, nlayers=2, pad_idx=0):
        super().__init__()
        self.pad_idx = pad_idx
        self.d_model = d_model
        self.embed = nn.Embedding(vocab, d_model, padding_idx=pad_idx)
        self.pos = nn.Parameter(torch.zeros(1, 128, d_model))
        layer = nn.TransformerEncoderLayer(d_model, nhead, dim_feedforward=256, dropout=0.1, batch_first=True)
        self.encoder = nn.TransformerEncoder(layer, nlayers)
        self.classifier = nn.Linear(d_model, n_intents)

    def forward(self, input_ids):
        # input_ids: (batch, seq_len), right padded
        pad_mask = input_ids == self.pad_idx
        x = self.embed(input_ids) * math.sqrt(self.d_model)
        x = x + self.pos[:, :x.size(1)]
        x = self.encoder(x, pad_mask)
        # average over the real tokens only
        keep = (~pad_mask).unsqueeze(-1).float()
        pooled = (x * keep).sum(1) / keep.sum(1).clamp(min=1)
        return self.classifier(pooled)


if __name__ == "__main__":
    model = IntentClassifier(vocab=5000, n_intents=7)
    ids = torch.randint(1, 5000, (16, 30))
    ids[3, 12:] = 0
    print(model(ids).shape)
