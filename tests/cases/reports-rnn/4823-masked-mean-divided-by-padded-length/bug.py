import torch
from torch import nn


class ReviewTower(nn.Module):
    def __init__(self, n_words, word_dim, hidden):
        super().__init__()
        self.words = nn.Embedding(n_words, word_dim, padding_idx=0)
        self.gru = nn.GRU(word_dim, hidden, batch_first=True)

    def forward(self, tokens):
        mask = (tokens != 0).unsqueeze(-1).float()
        states, _ = self.gru(self.words(tokens))
        # padding must not count
        pooled = (states * mask).mean(dim=1)
        return pooled


class UserItemMatcher(nn.Module):
    """Score = dot product of the user's reviews and the item's reviews."""

    def __init__(self, n_words, word_dim=32, hidden=48):
        super().__init__()
        self.user_tower = ReviewTower(n_words, word_dim, hidden)
        self.item_tower = ReviewTower(n_words, word_dim, hidden)
        self.bias = nn.Parameter(torch.zeros(1))

    def forward(self, user_tokens, item_tokens):
        u = self.user_tower(user_tokens)
        i = self.item_tower(item_tokens)
        return (u * i).sum(-1) + self.bias


if __name__ == "__main__":
    net = UserItemMatcher(500)
    print(net(torch.randint(1, 500, (4, 30)), torch.randint(1, 500, (4, 60))))
