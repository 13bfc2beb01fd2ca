import torch
import torch.nn as nn
import torch.nn.functional as F


class Attention(nn.Module):
    def __init__(self, enc_size, hidden):
        super().__init__()
        self.M = nn.Linear(enc_size + hidden, hidden)
        self.V = nn.Linear(hidden, 1, bias=False)

    def forward(self, hidden, encoded, mask):
        hidden = hidden.expand(-1, encoded.size(1), -1)
        scores = self.V(torch.tanh(self.M(torch.cat((encoded, hidden), dim=2))))
        scores = scores.squeeze(-1).masked_fill(mask, -1e9)
        weights = F.softmax(scores, dim=1).unsqueeze(1)
        return torch.bmm(weights, encoded), weights


class InflectionDecoder(nn.Module):
    """Attends to the characters of the lemma and to its morphological features."""

    def __init__(self, vocab, emb, hidden):
        super().__init__()
        self.embedding = nn.Embedding(vocab, emb, padding_idx=0)
        self.source_attention = Attention(2 * hidden, hidden)
        self.features_attention = Attention(2 * hidden, hidden)
        self.lstm = nn.LSTM(emb + 4 * hidden, hidden, batch_first=True)
        self.classifier = nn.Linear(5 * hidden, vocab)

    def decode_step(self, symbol, h0, c0, source_enc, source_mask, features_enc, features_mask):
        embedded = self.embedding(symbol)
        query = h0.transpose(0, 1)
        # -> B x 1 x 2*hidden.
        context, weights = self.source_attention(query, source_enc, source_mask)
        features_context, _ = self.features_attention(query, features_enc, features_mask)
        # -> B x 1 x 4*hidden.
        context = torch.cat([context, context], dim=2)
        output, (h, c) = self.lstm(torch.cat((embedded, context), dim=2), (h0, c0))
        return self.classifier(torch.cat((output, context), dim=2)), h, c, weights


if __name__ == "__main__":
    B, S, N, H = 8, 11, 5, 32
    decoder = InflectionDecoder(40, 16, H)
    state = torch.zeros(1, B, H)
    source, features = torch.randn(B, S, 2 * H), torch.randn(B, N, 2 * H)
    no_pad = torch.zeros(B, S, dtype=torch.bool), torch.zeros(B, N, dtype=torch.bool)
    logits, h, c, _ = decoder.decode_step(torch.ones(B, 1, dtype=torch.long), state, state, source, no_pad[0], features, no_pad[1])
    print(logits.shape)
