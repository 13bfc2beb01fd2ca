import torch
import torch.nn as nn
import torch.nn.functional as F


class AspectAttention(nn.Module):
    """Attends over the sentence with the final state of the aspect phrase as query"""

    def __init__(self, vocab_size, emb_dim=300, hidden_dim=150, polarities=3):
        super().__init__()
        self.embed = nn.Embedding(vocab_size, emb_dim)
        self.sentence_lstm = nn.LSTM(emb_dim, hidden_dim, bidirectional=True, batch_first=True)
        self.aspect_lstm = nn.LSTM(emb_dim, hidden_dim, bidirectional=True, batch_first=True)
        self.bilinear = nn.Linear(2 * hidden_dim, 2 * hidden_dim, bias=False)
        self.dense = nn.Linear(2 * hidden_dim, polarities)

    def summarize(self, aspect: torch.Tensor) -> torch.Tensor:
        # final hidden states of both directions
        outputs, (h_n, c_n) = self.aspect_lstm(self.embed(aspect))
        return outputs[:, -1]

    def forward(self, sentence: torch.Tensor, aspect: torch.Tensor) -> torch.Tensor:
        memory, _ = self.sentence_lstm(self.embed(sentence))
        query = self.summarize(aspect)
        scores = torch.matmul(memory, self.bilinear(query).unsqueeze(-1)).squeeze(-1)
        weights = F.softmax(torch.tanh(scores), dim=-1)
        pooled = torch.matmul(weights.unsqueeze(1), memory).squeeze(1)
        return self.dense(pooled)


if __name__ == "__main__":
    model = AspectAttention(vocab_size=4000)
    print(model(torch.randint(0, 4000, (12, 35)), torch.randint(0, 4000, (12, 4))).shape)
