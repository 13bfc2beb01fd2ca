import torch
import torch.nn as nn
import torch.nn.functional as F


class SelfAttentiveEncoder(nn.Module):
    def __init__(self, ntoken, ninp, nhid, attention_unit, hops):
        super().__init__()
        self.embed = nn.Embedding(ntoken, ninp, padding_idx=0)
        self.bilstm = nn.LSTM(ninp, nhid, bidirectional=True, batch_first=True)
        self.ws1 = nn.Linear(2 * nhid, attention_unit, bias=False)
        self.ws2 = nn.Linear(attention_unit, hops, bias=False)

    def forward(self, inp):
        outp, _ = self.bilstm(self.embed(inp))              # [bsz, len, nhid*2]
        alphas = self.ws2(torch.tanh(self.ws1(outp)))       # [bsz, len, hop]
        alphas = alphas.transpose(1, 2)                     # [bsz, hop, len]
        alphas = alphas.masked_fill(inp.eq(0).unsqueeze(1), -10000)
        alphas = F.softmax(alphas, dim=2)
        return torch.bmm(alphas, outp), alphas


def Frobenius(mat):
    assert mat.dim() == 3, "matrix for computing Frobenius norm should be with 3 dims"
    ret = (torch.sum(torch.sum(mat ** 2, 2), 1).squeeze() + 1e-10) ** 0.5
    return torch.sum(ret) / mat.size(0)


def train_loss(encoder, classifier, tokens, labels, penalty=1.0):
    rep, attention = encoder(tokens)
    pred = classifier(rep.flatten(1))
    loss = F.cross_entropy(pred, labels)
    attention_t = torch.transpose(attention, 1, 2).contiguous()
    eye = torch.eye(attention.size(1)).expand(attention.size(0), -1, -1)
    extra = Frobenius(torch.bmm(attention, attention_t) - eye)
    return loss + penalty * extra


if __name__ == "__main__":
    enc = SelfAttentiveEncoder(500, 32, 24, 20, hops=4)
    fc = nn.Linear(4 * 48, 5)
    print(train_loss(enc, fc, torch.randint(1, 500, (8, 15)), torch.randint(0, 5, (8,))))
