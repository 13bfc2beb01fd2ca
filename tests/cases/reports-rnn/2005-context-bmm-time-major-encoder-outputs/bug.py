import torch
import torch.nn as nn
import torch.nn.functional as F


class Attn(nn.Module):
    def __init__(self, hidden_size):
        super(Attn, self).__init__()
        self.attn = nn.Linear(hidden_size, hidden_size)

    def forward(self, rnn_output, encoder_outputs):
        # rnn_output 1 x B x H, encoder_outputs S x B x H
        energies = torch.sum(rnn_output * self.attn(encoder_outputs), dim=2)
        energies = energies.t()
        # B x 1 x S
        return F.softmax(energies, dim=1).unsqueeze(1)


class LuongAttnDecoderRNN(nn.Module):
    def __init__(self, hidden_size, output_size, n_layers=1, dropout=0.1):
        super(LuongAttnDecoderRNN, self).__init__()
        self.embedding = nn.Embedding(output_size, hidden_size)
        self.embedding_dropout = nn.Dropout(dropout)
        self.gru = nn.GRU(hidden_size, hidden_size, n_layers)
        self.concat = nn.Linear(hidden_size * 2, hidden_size)
        self.out = nn.Linear(hidden_size, output_size)
        self.attn = Attn(hidden_size)

    def forward(self, input_seq, last_hidden, encoder_outputs):
        # we run this one step at a time
        batch_size = input_seq.size(0)
        embedded = self.embedding_dropout(self.embedding(input_seq))
        embedded = embedded.view(1, batch_size, -1)
        rnn_output, hidden = self.gru(embedded, last_hidden)

        attn_weights = self.attn(rnn_output, encoder_outputs)
        context = attn_weights.bmm(encoder_outputs)

        concat_input = torch.cat((rnn_output.squeeze(0), context.squeeze(1)), 1)
        output = self.out(torch.tanh(self.concat(concat_input)))
        return output, hidden, attn_weights


if __name__ == "__main__":
    B, S, H = 5, 9, 20
    encoder = nn.GRU(H, H)
    encoder_outputs, hidden = encoder(torch.randn(S, B, H))
    decoder = LuongAttnDecoderRNN(H, 70)
    out, hidden, attn_weights = decoder(torch.ones(B, dtype=torch.long), hidden, encoder_outputs)
    print(out.size(), attn_weights.size())
