import torch
import torch.nn as nn


class Attn(nn.Module):
    def __init__(self, hidden_size):
        super().__init__()
        self.attn = nn.Linear(hidden_size * 2, hidden_size)
        self.v = nn.Parameter(torch.randn(hidden_size))

    def forward(self, hidden, encoder_outputs):
        """
        :param hidden: previous hidden state of the decoder, in shape (B,H)
        :param encoder_outputs: encoder outputs, in shape (T,B,H)
        :return: attention energies in shape (B,1,T)
        """
        max_len = encoder_outputs.size(0)
        H = hidden.repeat(max_len, 1, 1).transpose(0, 1)
        encoder_outputs = encoder_outputs.transpose(0, 1)
        energy = torch.tanh(self.attn(torch.cat([H, encoder_outputs], 2)))
        energy = energy.transpose(2, 1)
        v = self.v.repeat(encoder_outputs.size(0), 1).unsqueeze(1)
        return torch.softmax(torch.bmm(v, energy).squeeze(1), dim=1).unsqueeze(1)


class BahdanauAttnDecoderRNN(nn.Module):
    def __init__(self, hidden_size, embed_size, output_size, n_layers=2):
        super().__init__()
        self.embedding = nn.Embedding(output_size, embed_size)
        self.attn = Attn(hidden_size)
        self.gru = nn.GRU(hidden_size + embed_size, hidden_size, n_layers)
        self.out = nn.Linear(hidden_size, output_size)

    def forward(self, word_input, last_hidden, encoder_outputs):
        word_embedded = self.embedding(word_input).unsqueeze(0)
        attn_weights = self.attn(last_hidden[-1], encoder_outputs)
        context = attn_weights.bmm(encoder_outputs.transpose(0, 1)).transpose(0, 1)
        rnn_input = torch.cat((word_embedded, context), 2)
        output, hidden = self.gru(rnn_input, last_hidden)
        return self.out(output.squeeze(0)), hidden


if __name__ == "__main__":
    dec = BahdanauAttnDecoderRNN(16, 10, 40)
    enc_out = torch.randn(7, 3, 16)
    print(dec(torch.ones(3, dtype=torch.long), torch.zeros(2, 3, 16), enc_out)[0].shape)
