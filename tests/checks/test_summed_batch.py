"""ATN107: scores that an einsum adds up over the batch, and a mask spreads out again."""

import pytest

from attncheck.engine import check_source
from attncheck.settings import Settings

CODE = """import torch
def attend(query, history, mask):
    B, N, d = history.shape
    scores = torch.einsum("{}", query, history)
    {}
    w = torch.softmax(scores, dim=-1)
    return (w.unsqueeze(-1) * history).sum(dim=-2)

B, N, d = 4, 7, 8
attend(torch.ones(B, d), torch.ones(B, N, d), {})
"""
FILL = "scores = torch.where(mask, scores, -1e9)"


def found(subscripts, line=FILL, mask="torch.ones(B, N).bool()"):
    """(code, line, fix) of every finding but notes."""
    code = CODE.format(subscripts, line, mask)
    findings = check_source(code.encode(), "x.py", Settings()).findings
    return [(f.code, f.line, f.fix and f.fix.line) for f in findings if f.severity != "note"]


@pytest.mark.parametrize(
    "line",
    [
        FILL,
        "scores = (scores / 3.0).masked_fill(~mask, -1e9)",
        FILL.replace("scores, -1", "scores * 0.1, -1"),
    ],
)
@pytest.mark.parametrize("subscripts", ["bd,bnd->n", "zh, zth -> t"])
def test_scores_of_all_sequences(subscripts, line):
    ((code, number, fix),) = found(subscripts, line)
    letter = subscripts[0]
    right = subscripts.replace("->", f"->{letter}").replace(f">{letter} ", f"> {letter}")
    assert (code, number) == ("ATN107", 4)
    assert fix.replace(" ", "") == f'scores=torch.einsum("{right}",query,history)'.replace(" ", "")
    assert found(right, line) == []


@pytest.mark.parametrize(
    ("subscripts", "line", "mask"),
    [
        # routing by what all agree on: no mask of each sequence
        ("bd,bnd->n", "pass", "None"),
        ("bd,bnd->n", FILL, "torch.ones(N).bool()"),
        ("bd,bnd->bn", FILL, "torch.ones(B, N).bool()"),
        ("bd,cnd->bn", FILL, "torch.ones(B, N).bool()"),
    ],
)
def test_what_may_be_meant(subscripts, line, mask):
    assert [each for each in found(subscripts, line, mask) if each[0] == "ATN107"] == []


def test_a_mask_put_on_what_no_tensor_was_made_into():
    code = """import torch
def attend(states, mask):
    scores = torch.tensor([[0.5, 0.25]])
    w = torch.softmax(torch.where(mask, scores, -1e9), dim=-1)
    return w @ states
"""
    findings = check_source(code.encode(), "x.py", Settings()).findings
    assert [f.code for f in findings if f.severity != "note"] == []
