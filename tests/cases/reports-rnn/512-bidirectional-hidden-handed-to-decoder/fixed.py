import torch
import torch.nn as nn
import torch.nn.functional as F


class EncoderRNN(nn.Module):
    def __init__(self, input_size, hidden_size):
        super().__init__()
        self.embedding = nn.Embedding(input_size, hidden_size)
        self.gru = nn.GRU(hidden_size, hidden_size, batch_first=True, bidirectional=True)
        self.hidden_size = hidden_size

    def forward(self, input_seqs):
        outputs, hidden = self.gru(self.embedding(input_seqs))
        # sum both directions so that the decoder sees hidden_size
        outputs = outputs[:, :, :self.hidden_size] + outputs[:, :, self.hidden_size:]
        return outputs, hidden.sum(dim=0, keepdim=True)


class DecoderRNN(nn.Module):
    def __init__(self, hidden_size, output_size):
        super().__init__()
        self.embedding = nn.Embedding(output_size, hidden_size)
        self.gru = nn.GRU(hidden_size, hidden_size, batch_first=True)
        self.out = nn.Linear(2 * hidden_size, output_size)

    def forward(self, word, hidden, encoder_outputs):
        rnn_out, hidden = self.gru(self.embedding(word), hidden)
        weights = F.softmax(torch.bmm(rnn_out, encoder_outputs.transpose(1, 2)), dim=2)
        context = torch.bmm(weights, encoder_outputs)
        return self.out(torch.cat((rnn_out, context), 2)), hidden


encoder = EncoderRNN(1200, 64)
decoder = DecoderRNN(64, 900)
src = torch.randint(0, 1200, (20, 15))
tgt = torch.randint(0, 900, (20, 11))

enc_out, hidden = encoder(src)
loss = 0
for t in range(10):
    logits, hidden = decoder(tgt[:, t:t + 1], hidden, enc_out)
    loss = loss + F.cross_entropy(logits.squeeze(1), tgt[:, t + 1])
print(loss / 10)
