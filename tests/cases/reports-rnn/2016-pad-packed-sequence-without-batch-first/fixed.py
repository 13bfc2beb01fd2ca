import torch
import torch.nn as nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence


class AttnBiLSTM(nn.Module):
    """
    Text classifier: embedding -> packed BiLSTM -> attention -> softmax layer
    x        LongTensor (batch, max_len), 0 is the padding index
    lengths  list of ints, longest first
    """

    def __init__(self, vocab_size, embed_dim=50, hidden_dim=32, num_classes=2):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embed_dim, padding_idx=0)
        self.lstm = nn.LSTM(embed_dim, hidden_dim, bidirectional=True, batch_first=True)
        self.w = nn.Linear(2 * hidden_dim, 1)
        self.fc = nn.Linear(2 * hidden_dim, num_classes)

    def attention(self, H, mask):
        score = self.w(torch.tanh(H)).squeeze(-1)
        score = score.masked_fill(mask == 0, -1e9)
        alpha = torch.softmax(score, dim=1)
        return torch.bmm(alpha.unsqueeze(1), H).squeeze(1)

    def forward(self, x, lengths):
        mask = (x != 0)
        packed = pack_padded_sequence(self.embedding(x), lengths, batch_first=True)
        packed_out, _ = self.lstm(packed)
        H, _ = pad_packed_sequence(packed_out, batch_first=True)
        return self.fc(self.attention(H, mask))


if __name__ == '__main__':
    model = AttnBiLSTM(500)
    x = torch.randint(1, 500, (3, 8))
    x[1, 6:] = 0
    x[2, 3:] = 0
    print(model(x, [8, 6, 3]))
