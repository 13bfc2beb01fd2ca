import torch
import torch.nn as nn
import torch.nn.functional as F


class AttnDecoderRNN(nn.Module):
    def __init__(self, hidden_size, output_size, dropout_p=0.1):
        super(AttnDecoderRNN, self).__init__()
        self.embedding = nn.Embedding(output_size, hidden_size)
        self.dropout = nn.Dropout(dropout_p)
        self.gru = nn.GRU(2 * hidden_size, hidden_size, batch_first=True)
        self.Wa = nn.Linear(hidden_size, hidden_size)
        self.Ua = nn.Linear(hidden_size, hidden_size)
        self.Va = nn.Linear(hidden_size, 1)
        self.out = nn.Linear(hidden_size, output_size)

    def forward_step(self, input, hidden, encoder_outputs):
        embedded = self.dropout(self.embedding(input))

        query = hidden.permute(1, 0, 2)
        scores = self.Va(torch.tanh(self.Wa(query) + self.Ua(encoder_outputs)))
        weights = F.softmax(scores.squeeze(2), dim=-1)
        context = torch.bmm(weights.unsqueeze(1), encoder_outputs)

        input_gru = torch.cat((embedded, context), dim=2)
        output, hidden = self.gru(input_gru, hidden)
        return self.out(output), hidden, weights

    def forward(self, encoder_outputs, encoder_hidden, target):
        hidden = encoder_hidden
        outputs = []
        for i in range(target.size(1)):
            output, hidden, _ = self.forward_step(target[:, i:i + 1], hidden, encoder_outputs)
            outputs.append(output)
        return F.log_softmax(torch.cat(outputs, dim=1), dim=-1), hidden


if __name__ == '__main__':
    encoder_outputs, encoder_hidden = torch.randn(6, 10, 32), torch.randn(1, 6, 32)
    decoder = AttnDecoderRNN(32, 80)
    log_probs, _ = decoder(encoder_outputs, encoder_hidden, torch.randint(0, 80, (6, 7)))
    print(log_probs.shape)
