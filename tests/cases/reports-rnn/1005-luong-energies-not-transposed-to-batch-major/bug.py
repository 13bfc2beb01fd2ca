import torch
import torch.nn as nn
import torch.nn.functional as F


# Luong attention layer
class Attn(nn.Module):
    def __init__(self, method, hidden_size):
        super().__init__()
        if method not in ['dot', 'general']:
            raise ValueError(method, "is not an appropriate attention method.")
        self.method = method
        if method == 'general':
            self.attn = nn.Linear(hidden_size, hidden_size)

    def dot_score(self, hidden, encoder_output):
        return torch.sum(hidden * encoder_output, dim=2)

    def general_score(self, hidden, encoder_output):
        energy = self.attn(encoder_output)
        return torch.sum(hidden * energy, dim=2)

    def forward(self, hidden, encoder_outputs):
        if self.method == 'general':
            attn_energies = self.general_score(hidden, encoder_outputs)
        else:
            attn_energies = self.dot_score(hidden, encoder_outputs)
        return F.softmax(attn_energies, dim=1).unsqueeze(1)


class LuongAttnDecoderRNN(nn.Module):
    def __init__(self, attn_model, embedding, hidden_size, output_size, n_layers=1):
        super().__init__()
        self.embedding = embedding
        self.gru = nn.GRU(hidden_size, hidden_size, n_layers)
        self.concat = nn.Linear(hidden_size * 2, hidden_size)
        self.out = nn.Linear(hidden_size, output_size)
        self.attn = Attn(attn_model, hidden_size)

    def forward(self, input_step, last_hidden, encoder_outputs):
        embedded = self.embedding(input_step)
        rnn_output, hidden = self.gru(embedded, last_hidden)
        attn_weights = self.attn(rnn_output, encoder_outputs)
        context = attn_weights.bmm(encoder_outputs.transpose(0, 1))
        concat_input = torch.cat((rnn_output.squeeze(0), context.squeeze(1)), 1)
        concat_output = torch.tanh(self.concat(concat_input))
        return F.softmax(self.out(concat_output), dim=1), hidden


if __name__ == '__main__':
    hidden_size, voc_size, batch_size, max_length = 500, 1200, 5, 10
    decoder = LuongAttnDecoderRNN('general', nn.Embedding(voc_size, hidden_size), hidden_size, voc_size, 2)
    encoder_outputs = torch.randn(max_length, batch_size, hidden_size)
    output, hidden = decoder(torch.ones(1, batch_size, dtype=torch.long),
                             torch.zeros(2, batch_size, hidden_size), encoder_outputs)
    print(output.shape)
