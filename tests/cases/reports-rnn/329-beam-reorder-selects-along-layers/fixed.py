import torch
import torch.nn as nn

torch.manual_seed(0)


class AttnDecoder(nn.Module):
    def __init__(self, vocab, hid, layers=2):
        super().__init__()
        self.emb = nn.Embedding(vocab, hid)
        self.gru = nn.GRU(hid, hid, layers, batch_first=True)
        self.fc = nn.Linear(2 * hid, vocab)

    def step(self, token, hidden, enc):
        out, hidden = self.gru(self.emb(token).unsqueeze(1), hidden)
        w = torch.bmm(out, enc.transpose(1, 2)).softmax(-1)
        out = torch.cat([out, torch.bmm(w, enc)], -1).squeeze(1)
        return self.fc(out).log_softmax(-1), hidden


@torch.no_grad()
def decode_sentence(dec, enc, hidden, sos, beam=5, steps=15):
    """enc: [1, T, H], hidden: [layers, 1, H] -> best token ids"""
    enc = enc.expand(beam, -1, -1)
    hidden = hidden.repeat(1, beam, 1)
    seqs = torch.full((beam, 1), sos)
    scores = torch.full((beam, 1), -1e9)
    scores[0] = 0
    for _ in range(steps):
        logp, hidden = dec.step(seqs[:, -1], hidden, enc)
        vocab = logp.size(1)
        top, idx = (scores + logp).view(-1).topk(beam)
        prev, token = idx // vocab, idx % vocab
        hidden = hidden.index_select(1, prev)
        seqs = torch.cat([seqs[prev], token.unsqueeze(1)], 1)
        scores = top.unsqueeze(1)
    return seqs[0], scores[0].item()


if __name__ == "__main__":
    dec = AttnDecoder(1200, 64)
    seq, score = decode_sentence(dec, torch.randn(1, 17, 64), torch.randn(2, 1, 64), sos=1)
    print(seq.tolist(), score)
