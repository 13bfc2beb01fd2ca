import torch
import torch.nn as nn
import torch.nn.functional as F


class AttnSeq2Seq(nn.Module):
    def __init__(self, src_vocab, trg_vocab, emb=16, hid=24):
        super().__init__()
        self.src_emb = nn.Embedding(src_vocab, emb)
        self.trg_emb = nn.Embedding(trg_vocab, emb)
        self.encoder = nn.GRU(emb, hid, batch_first=True)
        self.decoder = nn.GRUCell(emb + hid, hid)
        self.attn = nn.Linear(2 * hid, hid)
        self.v = nn.Linear(hid, 1, bias=False)
        self.out = nn.Linear(hid, trg_vocab)

    def attend(self, s, enc):
        s = s.unsqueeze(1).expand(-1, enc.size(1), -1)
        energy = torch.tanh(self.attn(torch.cat((s, enc), dim=2)))
        return F.softmax(self.v(energy).squeeze(2), dim=1)

    def forward(self, src, trg):
        batch, trg_len = trg.shape
        enc, h = self.encoder(self.src_emb(src))
        s = h[-1]
        logits, aligns = [], []
        for t in range(trg_len):
            a = self.attend(s, enc)
            ctx = torch.bmm(a.unsqueeze(1), enc).squeeze(1)
            s = self.decoder(torch.cat((self.trg_emb(trg[:, t]), ctx), dim=1), s)
            logits.append(self.out(s))
            aligns.append(a)
        logits = torch.stack(logits).transpose(0, 1)
        aligns = torch.stack(aligns, dim=1)
        return logits, aligns


if __name__ == '__main__':
    model = AttnSeq2Seq(40, 30)
    src, trg = torch.randint(0, 40, (4, 8)), torch.randint(0, 30, (4, 6))
    logits, aligns = model(src, trg)
    loss = F.cross_entropy(logits[:, :-1].reshape(-1, 30), trg[:, 1:].reshape(-1))
    print(loss.item(), aligns.shape)
