"""A mask counted over the queries, and what it is to be counted over."""

import pytest

from attncheck.engine import check_source
from attncheck.settings import Settings

CODE = '''import torch


def attend(query, key, value, lengths):
    """query (B, T_dec, d), key (B, T_enc, d), value (B, T_enc, d), lengths (B,)."""
    B, T, d = {sizes}.shape
    mask = {mask}
    scores = query @ key.transpose(1, 2) / d ** 0.5
    scores = scores.masked_fill(~mask[:, None, :], float("-inf"))
    return torch.softmax(scores, -1) @ value
'''


def findings(mask, sizes="query"):
    code = CODE.format(mask=mask, sizes=sizes)
    return list(check_source(code.encode(), "x.py", Settings()).findings)


@pytest.mark.parametrize(
    "mask",
    [
        "torch.arange({}, device=key.device)[None, :] < lengths[:, None]",
        "lengths[:, None] > torch.arange({}).unsqueeze(0)",
    ],
)
def test_positions_of_the_queries(mask):
    wrong, right = mask.replace("{}", "T"), mask.replace("{}", "key.shape[1]")
    (finding,) = findings(wrong)
    assert (finding.code, finding.line) == ("ATN501", 9)
    assert finding.fix.line == f"mask = {right}"
    assert finding.fix.edits[0].span.line == 7
    assert findings(right) == []


def test_positions_of_the_keys():
    assert findings("torch.arange(T)[None, :] < lengths[:, None]", sizes="key") == []
