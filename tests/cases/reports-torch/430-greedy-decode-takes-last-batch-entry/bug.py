import torch
import torch.nn as nn

BOS, EOS = 1, 2


class Translator(nn.Module):
    def __init__(self, src_vocab, tgt_vocab, d_model=64, nhead=4):
        super().__init__()
        self.src_emb = nn.Embedding(src_vocab, d_model)
        self.tgt_emb = nn.Embedding(tgt_vocab, d_model)
        self.core = nn.Transformer(d_model, nhead, 2, 2, 4 * d_model, dropout=0.0, batch_first=True)
        self.generator = nn.Linear(d_model, tgt_vocab)

    def encode(self, src):
        return self.core.encoder(self.src_emb(src))

    def decode(self, tgt, memory):
        T = tgt.size(1)
        tgt_mask = nn.Transformer.generate_square_subsequent_mask(T)
        return self.core.decoder(self.tgt_emb(tgt), memory, tgt_mask=tgt_mask)


@torch.no_grad()
def greedy_decode(model, src, max_len):
    memory = model.encode(src)
    ys = torch.full((src.size(0), 1), BOS, dtype=torch.long)
    for _ in range(max_len - 1):
        out = model.decode(ys, memory)
        prob = model.generator(out[-1])
        next_word = prob.argmax(dim=-1)
        ys = torch.cat([ys, next_word.unsqueeze(1)], dim=1)
        if (next_word == EOS).all():
            break
    return ys


if __name__ == "__main__":
    torch.manual_seed(0)
    model = Translator(100, 120).eval()
    sentence = torch.randint(3, 100, (1, 9))
    print(greedy_decode(model, sentence, max_len=14))
