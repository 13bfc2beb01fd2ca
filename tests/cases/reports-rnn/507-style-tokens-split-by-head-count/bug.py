import torch
import torch.nn as nn
import torch.nn.functional as F


class StyleTokenLayer(nn.Module):
    """Reference embedding (last GRU state of the mel encoder) attends over a bank of style tokens."""

    def __init__(self, ref_dim, token_dim, num_tokens, num_units, num_heads):
        super().__init__()
        self.num_units = num_units
        self.num_heads = num_heads
        self.key_dim = num_units // num_heads
        self.tokens = nn.Parameter(0.5 * torch.randn(num_tokens, token_dim))
        self.ref_gru = nn.GRU(80, ref_dim, batch_first=True)
        self.W_query = nn.Linear(ref_dim, num_units, bias=False)
        self.W_key = nn.Linear(token_dim, num_units, bias=False)
        self.W_value = nn.Linear(token_dim, num_units, bias=False)

    def split(self, x):
        return torch.stack(torch.split(x, self.num_heads, dim=2), dim=0)

    def forward(self, mels):
        _, ref = self.ref_gru(mels)
        query = ref.transpose(0, 1)                                      # [N, 1, ref_dim]
        keys = torch.tanh(self.tokens).unsqueeze(0).expand(mels.size(0), -1, -1)

        q = self.split(self.W_query(query))        # [h, N, 1, num_units/h]
        k = self.split(self.W_key(keys))           # [h, N, num_tokens, num_units/h]
        v = self.split(self.W_value(keys))

        scores = torch.matmul(q, k.transpose(2, 3)) / (self.key_dim ** 0.5)
        out = torch.matmul(F.softmax(scores, dim=3), v)
        return torch.cat(torch.split(out, 1, dim=0), dim=3).squeeze(0)   # [N, 1, num_units]


if __name__ == "__main__":
    gst = StyleTokenLayer(ref_dim=128, token_dim=32, num_tokens=10, num_units=256, num_heads=8)
    style = gst(torch.randn(4, 150, 80))
    print(style.shape)
