import torch
import torch.nn as nn
import torch.nn.functional as F


class AttnDecoder(nn.Module):
    def __init__(self, output_size, emb_size, hidden_size, dropout_p=0.1):
        super(AttnDecoder, self).__init__()
        self.embedding = nn.Embedding(output_size, emb_size)
        self.dropout = nn.Dropout(dropout_p)
        self.Wa = nn.Linear(hidden_size, hidden_size)
        self.Ua = nn.Linear(hidden_size, hidden_size)
        self.Va = nn.Linear(hidden_size, 1)
        self.gru = nn.GRU(emb_size + hidden_size, hidden_size, batch_first=True)
        self.out = nn.Linear(hidden_size, output_size)

    def forward(self, input, hidden, encoder_outputs):
        # input (B, 1)   hidden (1, B, H)   encoder_outputs (B, T, H)
        embedded = self.dropout(self.embedding(input))
        query = hidden.permute(1, 0, 2)
        scores = self.Va(torch.tanh(self.Wa(query) + self.Ua(encoder_outputs)))
        weights = F.softmax(scores.squeeze(2).unsqueeze(1), dim=-1)
        context = torch.bmm(weights, encoder_outputs)
        input_gru = torch.cat((embedded, context), dim=2)
        output, hidden = self.gru(input_gru, hidden)
        return self.out(output), hidden, weights


if __name__ == "__main__":
    decoder = AttnDecoder(output_size=3000, emb_size=100, hidden_size=128)
    enc = torch.randn(32, 10, 128)
    h = torch.zeros(1, 32, 128)
    sos = torch.zeros(32, 1, dtype=torch.long)
    logits, h, w = decoder(sos, h, enc)
    print(logits.shape, w.shape)
