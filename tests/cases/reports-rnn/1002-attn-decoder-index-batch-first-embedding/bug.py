import torch
import torch.nn as nn
import torch.nn.functional as F

MAX_LENGTH = 10


class AttnDecoderRNN(nn.Module):
    def __init__(self, hidden_size, output_size, dropout_p=0.1, max_length=MAX_LENGTH):
        super(AttnDecoderRNN, self).__init__()
        self.embedding = nn.Embedding(output_size, hidden_size)
        self.attn = nn.Linear(hidden_size * 2, max_length)
        self.attn_combine = nn.Linear(hidden_size * 2, hidden_size)
        self.dropout = nn.Dropout(dropout_p)
        self.gru = nn.GRU(hidden_size, hidden_size)
        self.out = nn.Linear(hidden_size, output_size)

    def forward(self, input, hidden, encoder_outputs):
        # input: (batch, 1)   hidden: (1, batch, hidden)   encoder_outputs: (batch, max_length, hidden)
        embedded = self.dropout(self.embedding(input))

        attn_weights = F.softmax(self.attn(torch.cat((embedded[0], hidden[0]), 1)), dim=1)
        attn_applied = torch.bmm(attn_weights.unsqueeze(1), encoder_outputs)

        output = torch.cat((embedded, attn_applied), 2)
        output = F.relu(self.attn_combine(output)).transpose(0, 1)
        output, hidden = self.gru(output, hidden)
        return F.log_softmax(self.out(output[0]), dim=1), hidden, attn_weights


if __name__ == "__main__":
    batch_size, hidden_size = 4, 256
    decoder = AttnDecoderRNN(hidden_size, 3000)
    decoder_input = torch.zeros(batch_size, 1, dtype=torch.long)
    decoder_hidden = torch.zeros(1, batch_size, hidden_size)
    encoder_outputs = torch.randn(batch_size, MAX_LENGTH, hidden_size)
    for di in range(3):
        log_probs, decoder_hidden, weights = decoder(decoder_input, decoder_hidden, encoder_outputs)
        decoder_input = log_probs.topk(1)[1].detach()
    print(log_probs.shape, weights.shape)
