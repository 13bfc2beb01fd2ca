"""ATN308: weights returned in the order of packing, beside outputs that are put back."""

import pytest
import torch

from attncheck.engine import check_source
from attncheck.settings import Settings

READER = """import torch
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence


class Reader(nn.Module):
    def __init__(self, words, d):
        super().__init__()
        self.embed = nn.Embedding(words, d)
        self.rnn, self.score = nn.GRU(d, d, batch_first=True), nn.Linear(d, 1)

    def forward(self, tokens, lengths):
        \"\"\"tokens (B, T), lengths (B,).\"\"\"
        {sorting}
        packed = pack_padded_sequence(self.embed(tokens), lengths, batch_first=True)
        states, _ = pad_packed_sequence(self.rnn(packed)[0], batch_first=True)
        {more}
        scores = self.score(states).squeeze(2)
        scores = scores.masked_fill(states.abs().sum(2) == 0, -1e9)
        weights = torch.softmax(scores, dim=1)
        pooled = torch.einsum("bt,btd->bd", weights, states)
        {back}
        return {result}
"""
SORTED = "lengths, order = lengths.sort(descending=True); tokens = tokens[order]"
BACK = "back = order.argsort(); pooled = pooled[back]"


def reader(result="pooled, weights", sorting=SORTED, back=BACK, more="pass"):
    return READER.format(result=result, sorting=sorting, back=back, more=more)


def found(code):
    """(code, line, fix) of every finding but notes."""
    findings = check_source(code.encode(), "x.py", Settings()).findings
    return [
        (each.code, each.span.line, each.fix and each.fix.line)
        for each in findings
        if each.severity != "note"
    ]


@pytest.mark.parametrize(
    ("sorting", "back", "mended"),
    [
        (SORTED, BACK, "return pooled, weights[back]"),
        (
            "order = torch.argsort(lengths, descending=True)\n"
            "        tokens, lengths = tokens[order], lengths[order]",
            "back = torch.argsort(order); pooled = pooled[back]",
            "return pooled, weights[back]",
        ),
        (
            "lengths, order = torch.sort(lengths, 0, descending=True)\n"
            "        tokens = tokens.index_select(0, order)",
            "_, back = order.sort(); pooled = pooled[back]",
            "return pooled, weights[back]",
        ),
        (SORTED, "back = order.argsort(); pooled = pooled.index_select(0, back)", None),
    ],
)
def test_weights_that_stay_sorted(sorting, back, mended):
    line = 23 + sorting.count("\n")
    assert found(reader(sorting=sorting, back=back)) == [("ATN308", line, mended)]


def test_what_the_finding_says():
    (finding,) = check_source(reader().encode(), "x.py", Settings()).findings
    assert finding.severity == "error"
    assert finding.tensor.name == "weights"
    assert finding.tensor.shape[0] == "B"
    assert finding.message == (
        "`weights` is returned in the order into which `tokens[order]` has put the batch, and"
        " `pooled[back]` is back in the caller's: row i of the one belongs to another sequence than"
        " row i of the other; the shapes are right, so nothing raises (hidden while the batch comes"
        " sorted)"
    )


@pytest.mark.parametrize(
    ("result", "back", "more"),
    [
        ("pooled, weights[back]", BACK, "pass"),
        ("pooled, weights", BACK + "; weights = weights[back]", "pass"),
        # Whoever calls puts both back, or knows how to.
        ("pooled, weights", "pass", "pass"),
        ("pooled, weights, order", BACK, "pass"),
        ("pooled, weights, back", BACK, "pass"),
        ("pooled", BACK, "pass"),
        # Put back before anything attends.
        ("pooled, weights", "pass", "states = states[order.argsort()]"),
        # The mean of all rows is the same in any order.
        ("pooled, weights.mean(0)", BACK, "pass"),
    ],
)
def test_orders_that_are_right(result, back, more):
    assert found(reader(result, back=back, more=more)) == []


def test_rows_belong_to_their_sequences_only_after_the_fix():
    def run(result):
        scope = {}
        exec(reader(result), scope)
        torch.manual_seed(0)
        model = scope["Reader"](9, 4)
        tokens = torch.randint(1, 9, (3, 5))
        lengths = torch.tensor([2, 5, 3])
        alone = [
            model(tokens[i : i + 1, :n], lengths[i : i + 1])[1][0]
            for i, n in enumerate(lengths.tolist())
        ]
        weights = model(tokens, lengths)[1]
        return [
            torch.allclose(row[: len(own)], own, atol=1e-5)
            for row, own in zip(weights, alone, strict=True)
        ]

    assert not all(run("pooled, weights"))
    assert all(run("pooled, weights[back]"))
