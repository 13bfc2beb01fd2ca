import torch
import torch.nn as nn
import torch.nn.functional as F


class PtrDecoder(nn.Module):
    def __init__(self, hidden_size, output_size):
        super(PtrDecoder, self).__init__()
        self.hidden_size = hidden_size
        self.embedding = nn.Embedding(output_size, hidden_size)
        self.W = nn.Linear(2 * hidden_size, hidden_size)
        self.v = nn.Parameter(torch.rand(hidden_size))
        self.rnn = nn.LSTM(2 * hidden_size, hidden_size)
        self.out = nn.Linear(hidden_size, output_size)

    def score(self, hidden, encoder_outputs):
        H = hidden.repeat(encoder_outputs.size(0), 1, 1)
        energy = torch.tanh(self.W(torch.cat([H, encoder_outputs], 2)))
        return torch.matmul(energy, self.v).transpose(0, 1)

    def forward(self, input_seq, last_hidden, encoder_outputs):
        word_embedded = self.embedding(input_seq)
        s_t = last_hidden[0][-1].unsqueeze(0)
        weights = F.softmax(self.score(s_t, encoder_outputs), dim=1)
        context = weights.unsqueeze(1).bmm(encoder_outputs.transpose(0, 1))
        rnn_input = torch.cat((word_embedded, context.squeeze()), 1).unsqueeze(0)
        output, hidden = self.rnn(rnn_input, last_hidden)
        return self.out(output.squeeze(0)), hidden, weights


if __name__ == "__main__":
    decoder = PtrDecoder(8, 30)
    for batch in (4, 1):
        state = (torch.zeros(1, batch, 8), torch.zeros(1, batch, 8))
        logits, _, _ = decoder(torch.ones(batch, dtype=torch.long), state, torch.randn(6, batch, 8))
        print(logits.shape)
