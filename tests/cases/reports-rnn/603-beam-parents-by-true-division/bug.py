import torch
import torch.nn as nn
import torch.nn.functional as F


class CaptionDecoder(nn.Module):
    def __init__(self, vocab, emb=24, enc=32, dec=40, att=20):
        super().__init__()
        self.vocab_size = vocab
        self.embedding = nn.Embedding(vocab, emb)
        self.encoder_att, self.decoder_att, self.full_att = nn.Linear(enc, att), nn.Linear(dec, att), nn.Linear(att, 1)
        self.init_h, self.init_c = nn.Linear(enc, dec), nn.Linear(enc, dec)
        self.decode_step = nn.LSTMCell(emb + enc, dec)
        self.fc = nn.Linear(dec, vocab)

    def attention(self, encoder_out, h):
        att = self.full_att(torch.relu(self.encoder_att(encoder_out) + self.decoder_att(h).unsqueeze(1))).squeeze(2)
        alpha = F.softmax(att, dim=1)
        return (encoder_out * alpha.unsqueeze(2)).sum(dim=1), alpha


@torch.no_grad()
def beam_search(decoder, encoder_out, start, steps, k=3):
    vocab_size = decoder.vocab_size
    encoder_out = encoder_out.expand(k, -1, -1)             # (k, num_pixels, encoder_dim)
    seqs = torch.full((k, 1), start, dtype=torch.long)
    seqs_alpha = torch.ones(k, 1, encoder_out.size(1))
    top_k_scores = torch.zeros(k, 1)
    h, c = decoder.init_h(encoder_out.mean(dim=1)), decoder.init_c(encoder_out.mean(dim=1))
    for step in range(1, steps + 1):
        awe, alpha = decoder.attention(encoder_out, h)
        h, c = decoder.decode_step(torch.cat([decoder.embedding(seqs[:, -1]), awe], dim=1), (h, c))
        scores = top_k_scores + F.log_softmax(decoder.fc(h), dim=1)    # (k, vocab_size)
        if step == 1:
            best, top_k_words = scores[0].topk(k)
        else:
            best, top_k_words = scores.view(-1).topk(k)
        prev_word_inds = top_k_words / vocab_size
        next_word_inds = top_k_words % vocab_size
        seqs = torch.cat([seqs[prev_word_inds], next_word_inds.unsqueeze(1)], dim=1)
        seqs_alpha = torch.cat([seqs_alpha[prev_word_inds], alpha[prev_word_inds].unsqueeze(1)], dim=1)
        h, c = h[prev_word_inds], c[prev_word_inds]
        top_k_scores = best.unsqueeze(1)
    i = int(top_k_scores.argmax())
    return seqs[i].tolist(), seqs_alpha[i]


if __name__ == "__main__":
    torch.manual_seed(0)
    words, alphas = beam_search(CaptionDecoder(60).eval(), torch.randn(1, 49, 32), start=1, steps=6)
    print(words, alphas.shape)
