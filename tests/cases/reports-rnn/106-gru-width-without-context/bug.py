import torch
from torch import nn
import torch.nn.functional as F


class BahdanauAttnDecoderRNN(nn.Module):
    def __init__(self, hidden_size, output_size, n_layers=1, dropout_p=0.1):
        super(BahdanauAttnDecoderRNN, self).__init__()
        self.embedding = nn.Embedding(output_size, hidden_size)
        self.dropout = nn.Dropout(dropout_p)
        self.W = nn.Linear(hidden_size, hidden_size)
        self.U = nn.Linear(hidden_size, hidden_size)
        self.v = nn.Linear(hidden_size, 1)
        self.gru = nn.GRU(hidden_size, hidden_size, n_layers)
        self.out = nn.Linear(hidden_size, output_size)

    def forward(self, word_input, last_hidden, encoder_outputs):
        # one step: word_input (B,), last_hidden (layers, B, H), encoder_outputs (T, B, H)
        word_embedded = self.dropout(self.embedding(word_input)).view(1, word_input.size(0), -1)
        scores = self.v(torch.tanh(self.W(last_hidden[-1]).unsqueeze(0) + self.U(encoder_outputs)))
        attn_weights = F.softmax(scores, dim=0)
        context = (attn_weights * encoder_outputs).sum(0, keepdim=True)
        rnn_input = torch.cat((word_embedded, context), 2)
        output, hidden = self.gru(rnn_input, last_hidden)
        output = F.log_softmax(self.out(output.squeeze(0)), dim=1)
        return output, hidden, attn_weights


decoder_test = BahdanauAttnDecoderRNN(10, 20)
encoder_test_outputs = torch.randn(6, 3, 10)
out, hid, att = decoder_test(torch.randint(0, 20, (3,)), torch.zeros(1, 3, 10), encoder_test_outputs)
print(out.shape, att.shape)
