import torch
from torch import nn


class SoftAttention(nn.Module):
    """Show, attend and tell: soft attention over the pixels of the CNN feature map."""

    def __init__(self, encoder_dim, decoder_dim, attention_dim):
        super().__init__()
        self.encoder_att = nn.Linear(encoder_dim, attention_dim)
        self.decoder_att = nn.Linear(decoder_dim, attention_dim)
        self.full_att = nn.Linear(attention_dim, 1)

    def forward(self, encoder_out, decoder_hidden):
        att1 = self.encoder_att(encoder_out)
        att2 = self.decoder_att(decoder_hidden)
        att = self.full_att(torch.relu(att1 + att2.unsqueeze(1))).squeeze(2)
        alpha = att.softmax(dim=1)
        awe = (encoder_out * alpha.unsqueeze(1)).sum(dim=1)
        return awe, alpha


class CaptionDecoder(nn.Module):
    def __init__(self, vocab_size, encoder_dim=512, decoder_dim=256, attention_dim=128, embed_dim=200):
        super().__init__()
        self.attention = SoftAttention(encoder_dim, decoder_dim, attention_dim)
        self.embedding = nn.Embedding(vocab_size, embed_dim)
        self.decode_step = nn.LSTMCell(embed_dim + encoder_dim, decoder_dim)
        self.init_h = nn.Linear(encoder_dim, decoder_dim)
        self.init_c = nn.Linear(encoder_dim, decoder_dim)
        self.f_beta = nn.Linear(decoder_dim, encoder_dim)
        self.fc = nn.Linear(decoder_dim, vocab_size)

    def forward(self, features, captions):
        pixels = features.flatten(2).transpose(1, 2)   # (B, P, encoder_dim)
        mean = pixels.mean(dim=1)
        h, c = self.init_h(mean), self.init_c(mean)
        scores = []
        for word in self.embedding(captions).unbind(1):
            awe, alpha = self.attention(pixels, h)
            gate = torch.sigmoid(self.f_beta(h))
            h, c = self.decode_step(torch.cat([word, gate * awe], dim=1), (h, c))
            scores.append(self.fc(h))
        return torch.stack(scores, dim=1)


if __name__ == "__main__":
    decoder = CaptionDecoder(vocab_size=1000)
    print(decoder(torch.randn(2, 512, 7, 7), torch.randint(0, 1000, (2, 9))).shape)
