"""ATN107: letters of an einsum in another order than the comment beside the operand says."""

import pytest

from attncheck.engine import check_source
from attncheck.settings import Settings

MODULE = """import torch
from torch import nn

class Relative(nn.Module):
    def __init__(self, d, heads, most=32):
        super().__init__()
        self.heads, self.d_head, self.most = heads, d // heads, most
        self.rel = nn.Embedding(2 * most + 1, self.d_head)
        self.qkv = nn.Linear(d, 3 * d)

    def table(self, n):
        i = torch.arange(n)
        distance = (i[None, :] - i[:, None]).clamp(-self.most, self.most) + self.most
        return self.rel(distance)  {comment}

    def forward(self, x):
        b, n, _ = x.shape
        q, k, v = self.qkv(x).view(b, n, 3, self.heads, self.d_head).permute(2, 0, 3, 1, 4)
        {scored}
        s = (torch.einsum("bhqd,bhkd->bhqk", q, k) + p) / self.d_head**0.5
        return s.softmax(-1) @ v
"""
PLAIN = "# [q, k, d_head]"


def found(scored, comment=PLAIN):
    code = MODULE.format(scored=scored, comment=comment)
    findings = check_source(code.encode(), "x.py", Settings()).findings
    return [(each.code, each.line, each.severity, each.fix and each.fix.line) for each in findings]


@pytest.mark.parametrize(
    "comment", [PLAIN, "# (q_len, k_len, d)", "# (Q, K, D)", "# shape: (q, k, d)"]
)
@pytest.mark.parametrize(
    ("scored", "fix"),
    [
        (
            'p = torch.einsum("bhqd,kqd->bhqk", q, self.table(n))',
            'p = torch.einsum("bhqd,qkd->bhqk", q, self.table(n))',
        ),
        (
            'p = torch.einsum("kqd,bhqd->bhqk", self.table(n), q)',
            'p = torch.einsum("qkd,bhqd->bhqk", self.table(n), q)',
        ),
    ],
)
def test_axes_are_exchanged(scored, fix, comment):
    assert found(scored, comment) == [("ATN107", 19, "warning", fix)]
    assert found(fix, comment) == []


def test_a_name_with_a_comment():
    scored = f'r = self.table(n) + 0  {PLAIN}\n        p = torch.einsum("bhqd,kqd->bhqk", q, r)'
    ((code, line, _, _),) = found(scored, "")
    assert (code, line) == ("ATN107", 20)


@pytest.mark.parametrize(
    ("scored", "comment"),
    [
        # asked by the keys: their distance to the query is the other one
        ('p = torch.einsum("bhkd,kqd->bhqk", k, self.table(n))', PLAIN),
        # read both ways
        (
            "r = self.table(n)\n"
            '        p = torch.einsum("bhqd,qkd->bhqk", q, r)\n'
            '        p = p + torch.einsum("bhqd,kqd->bhqk", q, r)',
            PLAIN,
        ),
        # turned round before
        ('p = torch.einsum("bhqd,kqd->bhqk", q, self.table(n).transpose(0, 1))', PLAIN),
        # letters that are not those of the comment
        ('p = torch.einsum("bhqd,kqd->bhqk", q, self.table(n))', "# (T, T, d_head)"),
        ('p = torch.einsum("bhqd,kqd->bhqk", q, self.table(n))', "# (rows, cols, d)"),
        ('p = torch.einsum("bhid,jid->bhij", q, self.table(n))', "# (i, j, d)"),
        ('p = torch.einsum("bhqd,kqd->bhqk", q, self.table(n))', "# q and k, of d features"),
        ('p = torch.einsum("bhqd,kqd->bhqk", q, self.table(n))', ""),
    ],
)
def test_what_may_be_meant(scored, comment):
    assert found(scored, comment) == []
