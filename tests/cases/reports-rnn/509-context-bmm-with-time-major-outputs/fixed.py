import torch
import torch.nn as nn
import torch.nn.functional as F

hidden_size = 500
n_layers = 2
attn_batch = 64


class Attn(nn.Module):
    def __init__(self, method, hidden_size):
        super(Attn, self).__init__()
        self.method = method
        if method == 'general':
            self.attn = nn.Linear(hidden_size, hidden_size)

    def forward(self, hidden, encoder_outputs):
        if self.method == 'general':
            encoder_outputs = self.attn(encoder_outputs)
        attn_energies = torch.sum(hidden * encoder_outputs, dim=2).t()
        return F.softmax(attn_energies, dim=1).unsqueeze(1)


class LuongAttnDecoderRNN(nn.Module):
    def __init__(self, method, embedding, hidden_size, output_size, n_layers=1):
        super(LuongAttnDecoderRNN, self).__init__()
        self.embedding = embedding
        self.gru = nn.GRU(hidden_size, hidden_size, n_layers)
        self.attn = Attn(method, hidden_size)
        self.concat = nn.Linear(hidden_size * 2, hidden_size)
        self.out = nn.Linear(hidden_size, output_size)

    def forward(self, input_step, last_hidden, encoder_outputs):
        rnn_output, hidden = self.gru(self.embedding(input_step), last_hidden)
        attn_weights = self.attn(rnn_output, encoder_outputs)
        context = attn_weights.bmm(encoder_outputs.transpose(0, 1))
        concat_input = torch.cat((rnn_output.squeeze(0), context.squeeze(1)), 1)
        return self.out(torch.tanh(self.concat(concat_input))), hidden


if __name__ == '__main__':
    embedding = nn.Embedding(7000, hidden_size)
    decoder = LuongAttnDecoderRNN('general', embedding, hidden_size, 7000, n_layers)
    enc = torch.randn(10, attn_batch, hidden_size)    # max_length, batch, hidden
    step = torch.ones(1, attn_batch, dtype=torch.long)
    out, h = decoder(step, torch.zeros(n_layers, attn_batch, hidden_size), enc)
    print(out.shape)
