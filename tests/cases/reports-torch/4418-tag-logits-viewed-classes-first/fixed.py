import torch
from torch import nn


class AttentionTagger(nn.Module):
    def __init__(self, n_words, n_tags, d_model=32, nhead=4):
        super().__init__()
        self.embedding = nn.Embedding(n_words, d_model, padding_idx=0)
        encoder_layer = nn.TransformerEncoderLayer(d_model, nhead, 64, dropout=0.0, batch_first=True)
        self.encoder = nn.TransformerEncoder(encoder_layer, num_layers=1, enable_nested_tensor=False)
        self.hidden2tag = nn.Linear(d_model, n_tags)

    def forward(self, words):
        pad = words == 0
        x = self.encoder(self.embedding(words), src_key_padding_mask=pad)
        return self.hidden2tag(x)


def tagging_loss(logits, tags):
    """logits: (batch, words, tags); tags: (batch, words), -100 on padding"""
    batch_size, seq_len, n_tags = logits.shape
    criterion = nn.CrossEntropyLoss(ignore_index=-100)
    return criterion(logits.transpose(1, 2), tags)


if __name__ == "__main__":
    model = AttentionTagger(n_words=100, n_tags=9)
    words = torch.randint(1, 100, (4, 12))
    tags = torch.randint(0, 9, (4, 12))
    loss = tagging_loss(model(words), tags)
    loss.backward()
    print(loss.item())
