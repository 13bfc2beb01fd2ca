import torch


def repeat_rows(x, k, dim=0):
    """sentence 1, sentence 1, ..., sentence 2, sentence 2, ..."""
    return x.repeat_interleave(k, dim=dim)


def attend(h, memory, pad):
    e = torch.einsum('nd,ntd->nt', h, memory).masked_fill(pad, -1e9)
    a = e.softmax(-1)
    return torch.einsum('nt,ntd->nd', a, memory), a


@torch.no_grad()
def beam_search(cell, emb, out, memory, pad, h0, bos, beam_size=4, max_len=20):
    batch_size, V = h0.size(0), out.out_features
    memory, pad, h = (repeat_rows(t, beam_size) for t in (memory, pad, h0))
    words = torch.full((batch_size * beam_size,), bos)
    total = torch.full((batch_size, beam_size), -1e9)
    total[:, 0] = 0.
    hyps = words.view(batch_size, beam_size, 1)

    def unbottle(m):
        return m.view(beam_size, batch_size, -1).transpose(0, 1)

    for _ in range(max_len):
        c, a = attend(h, memory, pad)
        h = cell(torch.cat((emb(words), c), 1), h)
        logp = unbottle(out(torch.cat((h, c), 1)).log_softmax(-1))
        total, flat = (total.unsqueeze(2) + logp).flatten(1).topk(beam_size)
        origin, token = flat // V, flat % V
        rows = (origin + beam_size * torch.arange(batch_size).unsqueeze(1)).view(-1)
        h, words = h[rows], token.view(-1)
        hyps = torch.cat((hyps.flatten(0, 1)[rows], words.unsqueeze(1)), 1).view(batch_size, beam_size, -1)
    return hyps, total
