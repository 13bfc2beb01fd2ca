import torch
import torch.nn as nn


class Attn(nn.Module):
    def __init__(self, hidden_size):
        super().__init__()
        self.attn = nn.Linear(hidden_size * 2, hidden_size)
        self.other = nn.Parameter(torch.randn(hidden_size) * 0.1)

    def forward(self, last_hidden, encoder_outputs):
        # last_hidden: B x N, encoder_outputs: S x B x N  ->  B x 1 x S
        S = encoder_outputs.size(0)
        pair = torch.cat((last_hidden.expand(S, -1, -1), encoder_outputs), 2)
        energies = torch.tanh(self.attn(pair)) @ self.other
        return torch.softmax(energies.t(), dim=1).unsqueeze(1)


class BahdanauDecoder(nn.Module):
    def __init__(self, hidden_size, output_size, n_layers=2):
        super().__init__()
        self.embedding = nn.Embedding(output_size, hidden_size)
        self.attn = Attn(hidden_size)
        self.gru = nn.GRU(hidden_size * 2, hidden_size, n_layers)
        self.out = nn.Linear(hidden_size * 2, output_size)

    def forward(self, word_input, last_hidden, encoder_outputs):
        word_embedded = self.embedding(word_input).view(1, word_input.size(0), -1)  # S=1 x B x N
        attn_weights = self.attn(last_hidden[-1], encoder_outputs)
        context = attn_weights.bmm(encoder_outputs.transpose(0, 1)).transpose(0, 1)
        rnn_input = torch.cat((word_embedded, context), 2)
        output, hidden = self.gru(rnn_input, last_hidden)
        output = self.out(torch.cat((output, context), 2)).squeeze(0)
        return output, hidden, attn_weights


if __name__ == "__main__":
    small_batch_size, hidden = 3, 8
    decoder = BahdanauDecoder(hidden, 50)
    enc = torch.randn(12, small_batch_size, hidden)
    h = torch.zeros(2, small_batch_size, hidden)
    word = torch.LongTensor([1] * small_batch_size)
    for t in range(4):
        out, h, w = decoder(word, h, enc)
        word = out.argmax(1)
    print(out.size(), w.size())
