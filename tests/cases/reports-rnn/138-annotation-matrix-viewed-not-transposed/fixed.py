import torch
import torch.nn as nn


class MultiHopPooling(nn.Module):
    def __init__(self, dim, att_dim, hops):
        super().__init__()
        self.ws1 = nn.Linear(dim, att_dim, bias=False)
        self.ws2 = nn.Linear(att_dim, hops, bias=False)
        self.hops = hops

    def forward(self, outp):
        # outp [bsz, len, dim]
        bsz, length, dim = outp.size()
        hbar = torch.tanh(self.ws1(outp))
        alphas = torch.softmax(self.ws2(hbar), dim=1)
        alphas = alphas.transpose(1, 2)
        m = torch.bmm(alphas, outp)  # [bsz, hops, dim]
        return m.reshape(bsz, -1), alphas


class Classifier(nn.Module):
    def __init__(self, ntoken, ninp, nhid, hops, classes):
        super().__init__()
        self.encoder = nn.Embedding(ntoken, ninp)
        self.bilstm = nn.LSTM(ninp, nhid, bidirectional=True, batch_first=True)
        self.pool = MultiHopPooling(2 * nhid, 20, hops)
        self.fc = nn.Linear(2 * nhid * hops, classes)

    def forward(self, tokens):
        out, _ = self.bilstm(self.encoder(tokens))
        m, alphas = self.pool(out)
        return self.fc(m), alphas


if __name__ == "__main__":
    print(Classifier(40, 8, 6, 3, 2)(torch.randint(0, 40, (4, 11)))[0].shape)
