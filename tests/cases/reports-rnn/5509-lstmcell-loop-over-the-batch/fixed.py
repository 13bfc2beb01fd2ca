import torch
import torch.nn as nn


class AttnLSTMClassifier(nn.Module):
    def __init__(self, vocab_size, embed_dim, hidden_dim, num_classes):
        super().__init__()
        self.embed = nn.Embedding(vocab_size, embed_dim)
        self.cell = nn.LSTMCell(embed_dim, hidden_dim)
        self.att_w = nn.Linear(hidden_dim, hidden_dim)
        self.att_v = nn.Linear(hidden_dim, 1, bias=False)
        self.fc = nn.Linear(hidden_dim, num_classes)

    def encode(self, tokens):
        emb = self.embed(tokens)
        state = None
        states = []
        for x_t in emb.unbind(dim=1):
            state = self.cell(x_t, state)
            states.append(state[0])
        return torch.stack(states, dim=1)

    def forward(self, tokens):
        """tokens: LongTensor [batch_size, seq_len]"""
        H = self.encode(tokens)
        a = torch.softmax(self.att_v(torch.tanh(self.att_w(H))), dim=1)
        sentence = torch.sum(a * H, dim=1)
        return self.fc(sentence), a.squeeze(-1)


if __name__ == "__main__":
    model = AttnLSTMClassifier(vocab_size=100, embed_dim=16, hidden_dim=20, num_classes=4)
    logits, att = model(torch.randint(0, 100, (5, 12)))
    print(logits.shape, att.shape)
