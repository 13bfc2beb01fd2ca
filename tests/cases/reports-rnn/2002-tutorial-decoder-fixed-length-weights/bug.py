import torch
import torch.nn as nn
import torch.nn.functional as F

MAX_LENGTH = 10
hidden_size = 32


class EncoderRNN(nn.Module):
    def __init__(self, n_words):
        super(EncoderRNN, self).__init__()
        self.embedding = nn.Embedding(n_words, hidden_size)
        self.gru = nn.GRU(hidden_size, hidden_size)

    def forward(self, input, hidden):
        embedded = self.embedding(input).view(1, 1, -1)
        return self.gru(embedded, hidden)


class AttnDecoderRNN(nn.Module):
    def __init__(self, n_words, dropout_p=0.1, max_length=MAX_LENGTH):
        super(AttnDecoderRNN, self).__init__()
        self.embedding = nn.Embedding(n_words, hidden_size)
        self.attn = nn.Linear(hidden_size * 2, max_length)
        self.attn_combine = nn.Linear(hidden_size * 2, hidden_size)
        self.dropout = nn.Dropout(dropout_p)
        self.gru = nn.GRU(hidden_size, hidden_size)
        self.out = nn.Linear(hidden_size, n_words)

    def forward(self, input, hidden, encoder_outputs):
        embedded = self.dropout(self.embedding(input).view(1, 1, -1))
        attn_weights = F.softmax(self.attn(torch.cat((embedded[0], hidden[0]), 1)), dim=1)
        attn_applied = torch.bmm(attn_weights.unsqueeze(0), encoder_outputs.unsqueeze(0))
        output = torch.cat((embedded[0], attn_applied[0]), 1)
        output = F.relu(self.attn_combine(output).unsqueeze(0))
        output, hidden = self.gru(output, hidden)
        return F.log_softmax(self.out(output[0]), dim=1), hidden, attn_weights


if __name__ == "__main__":
    encoder, decoder = EncoderRNN(50), AttnDecoderRNN(60)
    sentence = torch.randint(0, 50, (6,))
    encoder_hidden = torch.zeros(1, 1, hidden_size)
    encoder_outputs = torch.zeros(sentence.size(0), hidden_size)
    for ei in range(sentence.size(0)):
        encoder_output, encoder_hidden = encoder(sentence[ei], encoder_hidden)
        encoder_outputs[ei] = encoder_output[0, 0]
    log_probs, hidden, attn = decoder(torch.tensor([0]), encoder_hidden, encoder_outputs)
    print(log_probs.topk(1), attn.shape)
