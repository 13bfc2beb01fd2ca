import torch
import torch.nn as nn


class AttnDecoder(nn.Module):
    def __init__(self, vocab, dim):
        super().__init__()
        self.embedding = nn.Embedding(vocab, dim)
        self.gru = nn.GRU(2 * dim, dim, num_layers=2)
        self.out = nn.Linear(2 * dim, vocab)

    def forward(self, word, hidden, memory):
        scores = torch.einsum("kh,kth->kt", hidden[-1], memory)
        context = torch.einsum("kt,kth->kh", scores.softmax(-1), memory)
        x = torch.cat([self.embedding(word), context], -1).unsqueeze(0)
        output, hidden = self.gru(x, hidden)
        return self.out(torch.cat([output[0], context], -1)).log_softmax(-1), hidden


@torch.no_grad()
def beam_search(decoder, memory, hidden, beam=4, max_len=15, bos=1, eos=2):
    """memory 1 x T x H, hidden layers x 1 x H; hypotheses of one sentence, best first."""
    memory = memory.expand(beam, -1, -1)
    hidden = hidden.expand(-1, beam, -1).contiguous()
    seqs = torch.full((beam, 1), bos, dtype=torch.long)
    total = torch.full((beam,), float("-inf"))
    total[0] = 0.0
    finished = []

    for _ in range(max_len):
        logp, hidden = decoder(seqs[:, -1], hidden, memory)
        vocab = logp.size(-1)
        total, flat = (total[:, None] + logp).view(-1).topk(beam)
        parents = torch.div(flat, vocab, rounding_mode="floor")
        words = flat % vocab

        seqs = torch.cat([seqs.index_select(0, parents), words[:, None]], dim=1)
        hidden.index_select(1, parents)

        for k in (words == eos).nonzero().flatten().tolist():
            finished.append((total[k].item() / seqs.size(1), seqs[k].tolist()))
            total[k] = float("-inf")

    finished += [(s / seqs.size(1), q) for s, q in zip(total.tolist(), seqs.tolist())]
    return sorted(finished, key=lambda f: -f[0])
