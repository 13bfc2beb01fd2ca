import torch
import torch.nn as nn
import torch.nn.functional as F


class AttentionDecoder(nn.Module):
    """One step of a GRU decoder that looks at the encoder states.

    token:           [batch]
    hidden:          [1, batch, hidden_size]
    encoder_outputs: [batch, src_len, hidden_size]
    """

    def __init__(self, vocab_size, emb_size, hidden_size):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, emb_size)
        self.attn_hidden = nn.Linear(2 * hidden_size, hidden_size)
        self.attn_score = nn.Linear(hidden_size, 1, bias=False)
        self.rnn = nn.GRU(emb_size + hidden_size, hidden_size, batch_first=True)
        self.out = nn.Linear(hidden_size, vocab_size)

    def attention_weights(self, hidden, encoder_outputs):
        src_len = encoder_outputs.size(1)
        state = hidden[-1].unsqueeze(1).repeat(1, src_len, 1)
        energy = torch.tanh(self.attn_hidden(torch.cat((state, encoder_outputs), dim=2)))
        return F.softmax(self.attn_score(energy).squeeze(2), dim=1)

    def forward(self, token, hidden, encoder_outputs):
        embedded = self.embedding(token).unsqueeze(1)
        attn_weights = self.attention_weights(hidden, encoder_outputs)
        context = torch.bmm(attn_weights.unsqueeze(1), encoder_outputs)
        output, hidden = self.rnn(torch.cat((embedded, context), dim=2), hidden)
        return self.out(output.squeeze(1)), hidden, attn_weights


if __name__ == "__main__":
    decoder = AttentionDecoder(vocab_size=500, emb_size=32, hidden_size=64)
    encoder_outputs = torch.randn(16, 20, 64)
    hidden = torch.zeros(1, 16, 64)
    logits, hidden, weights = decoder(torch.zeros(16, dtype=torch.long), hidden, encoder_outputs)
    print(logits.shape, weights.shape)
