import torch
import torch.nn as nn
import torch.nn.functional as F


class Encoder(nn.Module):
    def __init__(self, input_dim, emb_dim, hid_dim):
        super().__init__()
        self.embedding = nn.Embedding(input_dim, emb_dim)
        self.rnn = nn.GRU(emb_dim, hid_dim, batch_first=True)

    def forward(self, src):
        return self.rnn(self.embedding(src))


class Decoder(nn.Module):
    def __init__(self, output_dim, emb_dim, hid_dim):
        super().__init__()
        self.embedding = nn.Embedding(output_dim, emb_dim)
        self.rnn = nn.GRU(emb_dim + hid_dim, hid_dim, batch_first=True)
        self.attn = nn.Linear(hid_dim, hid_dim)
        self.fc_out = nn.Linear(hid_dim * 2, output_dim)

    def forward(self, input, hidden, encoder_outputs):
        # input = [batch size], hidden = [1, batch size, hid dim]
        embedded = self.embedding(input)
        energy = torch.bmm(encoder_outputs, self.attn(hidden[-1]).unsqueeze(2)).squeeze(2)
        a = F.softmax(energy, dim=1)
        context = torch.bmm(a.unsqueeze(1), encoder_outputs).squeeze(1)
        rnn_input = torch.cat((embedded, context), dim=1).unsqueeze(1)
        output, hidden = self.rnn(rnn_input, hidden)
        prediction = self.fc_out(torch.cat((hidden[-1], context), dim=1))
        return prediction, hidden, a


class Seq2Seq(nn.Module):
    def __init__(self, encoder, decoder):
        super().__init__()
        self.encoder = encoder
        self.decoder = decoder

    def forward(self, src, trg):
        encoder_outputs, hidden = self.encoder(src)
        outputs = []
        for t in range(trg.shape[1] - 1):
            prediction, hidden, _ = self.decoder(trg[:, t], hidden, encoder_outputs)
            outputs.append(prediction)
        return torch.stack(outputs, dim=1)
