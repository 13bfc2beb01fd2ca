"""ATN201: a column of losses that a mask of one number each makes a table of."""

import pytest

from attncheck.engine import check_source
from attncheck.settings import Settings

CODE = """import torch
def masked_loss(probs, target, mask):
    picked = {picked}
    loss = -torch.log(picked)
    return {masked}.mean()
def train(probs, target, mask):
    \"\"\"probs (T, B, V). target and mask are (T, B).\"\"\"
    total = 0
    for t in range(target.size(0)):
        total = total + masked_loss(probs[t], target[t], mask[t])
    return total
"""
COLUMN = "torch.gather(probs, 1, target.view(-1, 1))"
ROW = f"{COLUMN}.squeeze(1)"


def found(picked, masked):
    code = CODE.format(picked=picked, masked=masked)
    return check_source(code.encode(), "x.py", Settings()).findings


@pytest.mark.parametrize(
    ("masked", "fixed"),
    [
        ("loss.masked_select(mask)", "loss.squeeze(-1).masked_select(mask)"),
        ("torch.masked_select(loss, mask)", "torch.masked_select(loss.squeeze(-1), mask)"),
        ("loss.masked_fill(~mask, 0)", "loss.squeeze(-1).masked_fill(~mask, 0)"),
        ("torch.where(mask, loss, 0.0)", "torch.where(mask, loss.squeeze(-1), 0.0)"),
        ("(loss * mask)", "(loss.squeeze(-1) * mask)"),
    ],
)
def test_every_loss_with_every_mask(masked, fixed):
    (finding,) = found(COLUMN, masked)
    assert (finding.code, finding.line) == ("ATN201", 5)
    assert "meets" in finding.message
    assert finding.fix.line == f"return {fixed}.mean()"
    assert found(COLUMN, fixed) == ()
    assert found(ROW, masked) == ()


@pytest.mark.parametrize(
    "masked",
    [
        "loss.masked_select(mask.view(-1, 1))",
        "loss.masked_select(mask[:, None])",
        "loss.masked_select(mask.unsqueeze(1))",
        "probs.masked_select(mask.unsqueeze(1))",
        "loss.masked_fill(~mask[:, None], 0)",
        "(loss[:, 0] * mask)",
    ],
)
def test_columns_that_meet_columns(masked):
    assert found(COLUMN, masked) == ()


def test_rows_of_a_matrix_that_make_a_table():
    """An axis that is written where the table is made is meant."""
    code = """import torch
def decay(rates, steps):
    \"\"\"rates and steps are (T, B).\"\"\"
    first, now = rates[0], rates[1]
    return torch.softmax(first[:, None] - now, dim=-1)
"""
    assert check_source(code.encode(), "x.py", Settings()).findings == ()
