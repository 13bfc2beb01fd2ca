import torch
import torch.nn as nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence


class SentenceEncoder(nn.Module):
    """LSTM + attention, works on the packed tokens as long as possible."""

    def __init__(self, vocab_size, emb_size, rnn_size, att_size):
        super().__init__()
        self.embeddings = nn.Embedding(vocab_size, emb_size, padding_idx=0)
        self.lstm = nn.LSTM(emb_size, rnn_size, bidirectional=True, batch_first=True)
        self.attention = nn.Linear(2 * rnn_size, att_size)
        self.context_vector = nn.Linear(att_size, 1, bias=False)

    def forward(self, tokens, lengths):
        packed = pack_padded_sequence(self.embeddings(tokens), lengths, batch_first=True, enforce_sorted=False)
        packed, _ = self.lstm(packed)

        att = torch.tanh(self.attention(packed.data))
        att = self.context_vector(att).squeeze(1)
        att = torch.softmax(att, dim=0)
        alphas, _ = pad_packed_sequence(packed._replace(data=att), batch_first=True)

        words, _ = pad_packed_sequence(packed, batch_first=True)
        sentences = (words * alphas.unsqueeze(2)).sum(dim=1)
        return sentences, alphas


class Classifier(nn.Module):
    def __init__(self, encoder, dim, n_classes, dropout=0.2):
        super().__init__()
        self.encoder = encoder
        self.drop = nn.Dropout(dropout)
        self.fc = nn.Linear(dim, n_classes)

    def forward(self, tokens, lengths):
        sentences, alphas = self.encoder(tokens, lengths)
        return self.fc(self.drop(sentences)), alphas


if __name__ == "__main__":
    model = Classifier(SentenceEncoder(100, 12, 8, 10), 16, 3)
    tokens = torch.randint(1, 100, (4, 9))
    scores, alphas = model(tokens, torch.tensor([9, 4, 7, 2]))
    print(scores.shape, alphas.shape)
