"""ATN107: scores whose query and keys are each summed by themselves."""

import pytest

from attncheck.engine import check_source
from attncheck.settings import Settings

CODE = """import torch
from torch import nn
class General(nn.Module):
    def __init__(self, d_h, d_s):
        super().__init__()
        self.W = nn.Linear(d_h, d_s)
    def forward(self, state, states):
        B, T, _ = states.shape
        scores = torch.einsum("{letters}", {operands})
        return torch.einsum("bt,bth->bh", scores.softmax(-1), states)
"""


def found(letters, operands="self.W(states), state"):
    code = CODE.format(letters=letters, operands=operands)
    findings = check_source(code.encode(), "x.py", Settings()).findings
    return [(each.code, each.fix and each.fix.line) for each in findings]


@pytest.mark.parametrize("letters", ["bth,bd->bt", "btx,by->bt"])
def test_two_letters_for_one_axis(letters):
    ((code, fix),) = found(letters)
    first, second = letters[2], letters[5]
    assert code == "ATN107"
    assert f'"bt{first},b{first}->bt"' in fix or f'"bt{second},b{second}->bt"' in fix
    assert found(f"bt{first},b{first}->bt") == []


def test_sums_that_meet_over_another_letter():
    assert found("bthc,bhd->bt", "states.view(B, T, 4, -1), state.view(B, 4, -1)") == []
