import torch
import torch.nn as nn
import torch.nn.functional as F


class AttnDecoderRNN(nn.Module):
    def __init__(self, hidden_size, output_size, max_length=10, dropout_p=0.1):
        super().__init__()
        self.max_length = max_length
        self.embedding = nn.Embedding(output_size, hidden_size)
        self.attn = nn.Linear(hidden_size * 2, max_length)
        self.attn_combine = nn.Linear(hidden_size * 2, hidden_size)
        self.dropout = nn.Dropout(dropout_p)
        self.gru = nn.GRU(hidden_size, hidden_size, batch_first=True)
        self.out = nn.Linear(hidden_size, output_size)

    def forward_step(self, token, hidden, encoder_outputs):
        embedded = self.dropout(self.embedding(token))            # (B, 1, H)
        query = torch.cat((embedded, hidden.permute(1, 0, 2)), dim=2)
        attn_weights = F.softmax(self.attn(query)[:, :, :encoder_outputs.size(1)], dim=2)
        attn_applied = torch.bmm(attn_weights, encoder_outputs)
        rnn_in = F.relu(self.attn_combine(torch.cat((embedded, attn_applied), dim=2)))
        output, hidden = self.gru(rnn_in, hidden)
        return self.out(output), hidden, attn_weights

    def forward(self, encoder_outputs, encoder_hidden, target):
        hidden = encoder_hidden
        outputs, attentions = [], []
        for i in range(target.size(1)):
            step, hidden, weights = self.forward_step(target[:, i:i + 1], hidden, encoder_outputs)
            outputs.append(step)
            attentions.append(weights)
        return F.log_softmax(torch.cat(outputs, dim=1), dim=-1), torch.cat(attentions, dim=1)


class EncoderRNN(nn.Module):
    def __init__(self, input_size, hidden_size):
        super().__init__()
        self.embedding = nn.Embedding(input_size, hidden_size)
        self.gru = nn.GRU(hidden_size, hidden_size, batch_first=True)

    def forward(self, tokens):
        return self.gru(self.embedding(tokens))
