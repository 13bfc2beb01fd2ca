import torch
import torch.nn as nn


class SoftDotAttention(nn.Module):
    """Soft Dot Attention, Luong et al. 2015, general score."""

    def __init__(self, dim):
        super(SoftDotAttention, self).__init__()
        self.linear_in = nn.Linear(dim, dim, bias=False)
        self.sm = nn.Softmax(dim=1)
        self.linear_out = nn.Linear(dim * 2, dim, bias=False)
        self.tanh = nn.Tanh()

    def forward(self, input, context, ctx_mask):
        """Propagate input through the network.

        input: batch x dim
        context: batch x sourceL x dim
        ctx_mask: batch x sourceL, True where the source is padding
        """
        target = self.linear_in(input).unsqueeze(2)  # batch x dim x 1
        attn = torch.bmm(context, target).squeeze(2)  # batch x sourceL
        attn = self.sm(attn.masked_fill(ctx_mask, -float('inf')))
        attn3 = attn.view(attn.size(0), 1, attn.size(1))  # batch x 1 x sourceL
        weighted_context = torch.bmm(attn3, context).squeeze(1)  # batch x dim
        h_tilde = torch.cat((weighted_context, input), 1)
        h_tilde = self.tanh(self.linear_out(h_tilde))
        return h_tilde, attn
