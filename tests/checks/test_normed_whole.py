"""ATN302: rows that are divided by the norm of their whole matrix where a cosine is meant."""

import pytest

from attncheck.engine import check_source
from attncheck.settings import Settings

CODE = """import numpy as np
import torch
def scores(query, rows):
    n, d = rows.shape
    (d,) = query.shape
    q = {}
    p = {}
    return {}
"""


def found(query, rows, result):
    """(code, line, fix) of every finding but notes."""
    code = CODE.format(query, rows, result)
    findings = check_source(code.encode(), "x.py", Settings()).findings
    return [(f.code, f.line, f.fix and f.fix.line) for f in findings if f.severity != "note"]


NORM = "np.linalg.norm(rows)"
EACH = "np.linalg.norm(rows, axis=-1, keepdims=True)"
UNIT = "query / np.linalg.norm(query)"


@pytest.mark.parametrize("result", ["p @ q", "q @ p.T", "np.einsum('nd,d->n', p, q)", "p.dot(q)"])
@pytest.mark.parametrize("rows", ["rows / {}", "rows / ({} + 1e-8)", "rows / np.maximum({}, 1e-8)"])
def test_rows_by_one_norm(rows, result):
    ((code, line, fix),) = found(UNIT, rows.format(NORM), result)
    assert (code, line, fix) == ("ATN302", 7, f"p = {rows.format(EACH)}")
    assert found(UNIT, rows.format(EACH), result) == []


def test_torch():
    unit = "query / query.norm()"
    fixed = "p = rows / rows.norm(dim=-1, keepdim=True)"
    assert found(unit, "rows / rows.norm()", "p @ q") == [("ATN302", 7, fixed)]
    assert found(unit, "rows / rows.norm(dim=-1, keepdim=True)", "p @ q") == []


def test_products_divided():
    right = "p @ q / (np.linalg.norm(p, axis=-1) * np.linalg.norm(q))"
    wrong = right.replace("(p, axis=-1)", "(p)")
    assert found("query", "rows", wrong) == [("ATN302", 8, f"return {right}")]
    assert found("query", "rows", right) == []


@pytest.mark.parametrize(
    ("query", "rows", "result"),
    [
        # One scale for all, which no vector of length 1 meets.
        ("query", f"rows / {NORM}", "p @ q"),
        (UNIT, "rows", "p @ q"),
        (UNIT, f"rows / {NORM}", "p"),
        (UNIT, f"rows / {NORM}", "p * 2 + q.sum()"),
        (UNIT, "rows[0] / np.linalg.norm(rows[0])", "p @ q"),
        # What compares matrices as a whole.
        ("query", f"rows / {NORM}", "np.trace(p @ p.T)"),
        ("query", f"rows / {NORM}", "p @ p.T"),
    ],
)
def test_what_may_be_meant(query, rows, result):
    assert found(query, rows, result) == []
