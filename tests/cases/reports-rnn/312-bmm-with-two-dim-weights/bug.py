import torch
import torch.nn as nn
import torch.nn.functional as F

batch_size, hidden_size, max_length, n_words = 32, 256, 10, 4345


class FixedLengthAttnDecoder(nn.Module):
    """the decoder of the translation tutorial, for batches instead of single sentences"""

    def __init__(self):
        super().__init__()
        self.emb = nn.Embedding(n_words, hidden_size)
        self.attn = nn.Linear(2 * hidden_size, max_length)
        self.mix = nn.Linear(2 * hidden_size, hidden_size)
        self.gru = nn.GRU(hidden_size, hidden_size)
        self.out = nn.Linear(hidden_size, n_words)

    def forward(self, token, hidden, encoder_outputs):
        x = self.emb(token)
        attn_weights = F.softmax(self.attn(torch.cat((x, hidden[0]), 1)), dim=1)
        context = torch.bmm(attn_weights, encoder_outputs)
        x = F.relu(self.mix(torch.cat((x, context.squeeze(1)), 1)))
        x, hidden = self.gru(x.unsqueeze(0), hidden)
        return F.log_softmax(self.out(x[0]), dim=1), hidden, attn_weights


decoder = FixedLengthAttnDecoder()
token = torch.zeros(batch_size, dtype=torch.long)
hidden = torch.zeros(1, batch_size, hidden_size)
encoder_outputs = torch.randn(batch_size, max_length, hidden_size)
output, hidden, weights = decoder(token, hidden, encoder_outputs)
print(output.shape)
