import torch
import torch.nn as nn


class VGGExtractor(nn.Module):
    """Two stride-2 poolings: (B, T, D) -> (B, T/4, 32 * D/4)"""

    def __init__(self, in_ch=1):
        super().__init__()
        self.conv = nn.Sequential(
            nn.Conv2d(in_ch, 16, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
            nn.Conv2d(16, 32, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2))

    def forward(self, x, x_len):
        feat = self.conv(x.unsqueeze(1))
        B, C, T, D = feat.shape
        return feat.transpose(1, 2).reshape(B, T, C * D), x_len // 4


class ASR(nn.Module):
    def __init__(self, n_mel, hidden, vocab):
        super().__init__()
        self.vgg = VGGExtractor()
        self.encoder = nn.LSTM(32 * (n_mel // 4), hidden, bidirectional=True, batch_first=True)
        self.query = nn.Linear(hidden, 2 * hidden)
        self.embed = nn.Embedding(vocab, hidden)
        self.decoder = nn.LSTMCell(3 * hidden, hidden)
        self.char_trans = nn.Linear(3 * hidden, vocab)

    def attend(self, s, enc, enc_mask):
        energy = torch.bmm(enc, self.query(s).unsqueeze(2)).squeeze(2)
        energy = energy.masked_fill(enc_mask, -1e9)
        attn = energy.softmax(dim=-1)
        return torch.bmm(attn.unsqueeze(1), enc).squeeze(1), attn

    def forward(self, mel, mel_len, text):
        feat, enc_len = self.vgg(mel, mel_len)
        enc, _ = self.encoder(feat)
        enc_mask = torch.arange(enc.size(1))[None] >= enc_len[:, None]
        h = c = enc.new_zeros(mel.size(0), self.decoder.hidden_size)
        context, logits = enc.new_zeros(mel.size(0), enc.size(2)), []
        for y in text.t():
            h, c = self.decoder(torch.cat([self.embed(y), context], -1), (h, c))
            context, attn = self.attend(h, enc, enc_mask)
            logits.append(self.char_trans(torch.cat([h, context], -1)))
        return torch.stack(logits, 1)


if __name__ == "__main__":
    asr = ASR(n_mel=40, hidden=64, vocab=31)
    out = asr(torch.randn(3, 160, 40), torch.tensor([160, 120, 96]), torch.randint(0, 31, (3, 12)))
    print(out.shape)
