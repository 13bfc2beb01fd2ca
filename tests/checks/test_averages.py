"""ATN507: triangles of ones whose rows are divided by other counts than their own."""

import pytest

from attncheck.engine import check_source
from attncheck.settings import Settings


def found(body):
    lines = "".join(f"    {line}\n" for line in body.split("\n"))
    code = f"import torch\nimport numpy as np\ndef average(n, x):\n{lines}"
    findings = check_source(code.encode(), "x.py", Settings()).findings
    assert {each.code for each in findings} <= {"ATN507"}
    return [each.severity for each in findings]


FORMS = [
    "t = torch.{triangle}(torch.ones(n, n){diagonal})\n"
    "return t / torch.arange({start}, n + {start})[:, None]",
    "t = torch.{triangle}(torch.ones(n, n, dtype=torch.float){diagonal})\n"
    "w = torch.ones(1, n) / torch.arange({start}, n + {start}, dtype=torch.float)\n"
    "return t * w.transpose(0, 1)",
    "w = 1 / torch.arange({start}, n + {start}).unsqueeze(1)\n"
    "return w * torch.ones(n, n).{triangle}({only})",
    "return np.{triangle}(np.ones((n, n)){diagonal}) / np.arange({start}, n + {start})[:, None]",
]


def written(form, triangle, diagonal, start):
    given = f", {diagonal}" if diagonal else ""
    return form.format(triangle=triangle, diagonal=given, only=given[2:], start=start)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(
    ("triangle", "diagonal", "start"),
    [("tril", 1, 1), ("tril", -1, 1), ("tril", 0, 2), ("triu", 0, 1)],
)
def test_rows_that_do_not_sum_to_one(form, triangle, diagonal, start):
    assert found(written(form, triangle, diagonal, start)) == ["error"]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(("diagonal", "start"), [(0, 1), (1, 2)])
def test_rows_that_do(form, diagonal, start):
    assert found(written(form, "tril", diagonal, start)) == []


@pytest.mark.parametrize(
    "body",
    [
        "return torch.tril(torch.ones(n, n), -1) / torch.arange(1, n + 1)",
        "return torch.tril(x, -1) / torch.arange(1, n + 1)[:, None]",
        "return torch.tril(torch.ones(n, n), -1) * torch.arange(1, n + 1)[:, None]",
        "t = torch.tril(torch.ones(n, n), -1)\nreturn t / t.sum(1, keepdim=True)",
        "return torch.tril(torch.ones(n, 2 * n), -1) / torch.arange(1, n + 1)[:, None]",
    ],
)
def test_other_quotients(body):
    assert found(body) == []
