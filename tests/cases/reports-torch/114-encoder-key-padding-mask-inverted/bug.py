import torch
import torch.nn as nn


class TextClassifier(nn.Module):
    def __init__(self, vocab_size, num_classes, d_model=128, nhead=4, num_layers=2, pad_idx=0):
        super().__init__()
        self.pad_idx = pad_idx
        self.embedding = nn.Embedding(vocab_size, d_model, padding_idx=pad_idx)
        layer = nn.TransformerEncoderLayer(d_model=d_model, nhead=nhead, dim_feedforward=256, dropout=0.0, batch_first=True)
        self.encoder = nn.TransformerEncoder(layer, num_layers=num_layers, enable_nested_tensor=False)
        self.fc = nn.Linear(d_model, num_classes)

    def make_mask(self, tokens):
        return tokens != self.pad_idx

    def forward(self, tokens):
        mask = self.make_mask(tokens)
        x = self.embedding(tokens)
        x = self.encoder(x, src_key_padding_mask=mask)
        return self.fc(x[:, 0])


model = TextClassifier(1000, 4)
batch = torch.randint(1, 1000, (8, 20))
batch[:, 15:] = 0
logits = model(batch)
