"""A docstring about a mask: of what its function is given, not of what reaches the scores."""

from attncheck.engine import check_source
from attncheck.settings import Settings

CODE = """\
import torch
from torch import nn


def attend(query, key, value, attention_mask):
    scores = torch.matmul(query, key.transpose(2, 3))
    if attention_mask is not None:
        scores = scores + attention_mask
    return torch.matmul(torch.softmax(scores, dim=-1), value)


class Layer(nn.Module):
    def __init__(self, hidden_size, num_heads):
        super().__init__()
        self.num_heads = num_heads
        self.qkv = nn.Linear(hidden_size, 3 * hidden_size)

    def forward(self, hidden_states, attention_mask=None):
        '''
        hidden_states: (batch, seq_len, hidden_size)
        attention_mask: attention mask of size (batch, seq_len), 0 at padding
        '''
        b, n, d = hidden_states.shape
        qkv = self.qkv(hidden_states).view(b, n, 3, self.num_heads, -1).permute(2, 0, 3, 1, 4)
        return {call}
"""


def found(call):
    code = CODE.replace("{call}", call).encode()
    return [(each.code, each.line) for each in check_source(code, "x.py", Settings()).findings]


def test_what_a_layer_hands_on_is_not_what_its_docstring_says():
    assert found("attend(*qkv, attention_mask)") == []


def test_what_a_layer_puts_on_its_own_scores_is():
    own = "torch.softmax(qkv[0] @ qkv[1].transpose(2, 3) + attention_mask, dim=-1) @ qkv[2]"
    assert found(own) == [("ATN501", 25)]
