import torch
import torch.nn.functional as F
from torch import nn


class TextVideoFusion(nn.Module):
    def __init__(self, text_dim: int, image_dim: int, hidden: int):
        super().__init__()
        self.image_rnn = nn.GRU(image_dim, hidden, batch_first=True)
        self.linear_text = nn.Linear(text_dim, hidden)
        self.linear_gate = nn.Linear(text_dim + hidden, 1)
        self.linear_out = nn.Linear(text_dim + hidden, text_dim)

    def forward(self, text: torch.Tensor, image: torch.Tensor) -> torch.Tensor:
        image, _ = self.image_rnn(image)
        q = self.linear_text(text)
        attn = torch.matmul(q, image.transpose(-2, -1))
        attn = F.softmax(attn, dim=2)
        image_context = torch.bmm(attn, image)
        both = torch.cat((text, image_context), dim=-1)
        gate = torch.sigmoid(self.linear_gate(both))
        return text + gate * self.linear_out(both)


if __name__ == "__main__":
    fusion = TextVideoFusion(text_dim=10, image_dim=20, hidden=8)
    print(fusion(torch.randn(2, 7, 10), torch.randn(2, 5, 20)).shape)
