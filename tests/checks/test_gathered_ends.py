"""ATN305: the last output of each sequence, gathered of both directions of a recurrent layer."""

import pytest

torch = pytest.importorskip("torch")

from attncheck.engine import check_source  # noqa: E402
from attncheck.settings import Settings  # noqa: E402

MODULE = """import torch
import torch.nn as nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

class Encoder(nn.Module):
    def __init__(self, words, d, h):
        super().__init__()
        self.table = nn.Embedding(words, d)
        self.rnn = nn.GRU(d, h, batch_first=True, bidirectional={both})

    def forward(self, tokens, lengths, entity):
        x = self.table(tokens)
        {run}
        index = {index}
        return out.gather(1, index.view(-1, 1, 1).expand(-1, 1, out.size(2))).squeeze(1)
"""
PACKED = """packed = pack_padded_sequence(x, lengths, batch_first=True, enforce_sorted=False)
        given, h_n = self.rnn(packed)
        out, _ = pad_packed_sequence(given, batch_first=True)"""
PADDED = "out, h_n = self.rnn(x)"


def code(run=PACKED, index="lengths - 1", both="True"):
    return MODULE.format(run=run, index=index, both=both)


def found(text):
    return list(check_source(text.encode(), "x.py", Settings()).findings)


@pytest.mark.parametrize("run", [PACKED, PADDED])
def test_the_backward_direction_has_read_one_position_there(run):
    (finding,) = found(code(run))
    assert (finding.code, finding.severity) == ("ATN305", "warning")
    assert finding.fix is not None
    assert finding.fix.line == (
        "return torch.cat((h_n[-2], h_n[-1]), dim=-1).unsqueeze(1).squeeze(1)"
    )
    line = code(run).splitlines()[finding.line - 1].strip()
    fixed = code(run).replace(line, finding.fix.line)
    assert found(fixed) == []


def test_what_it_gives():
    given = []
    (finding,) = found(code())
    line = code().splitlines()[finding.line - 1].strip()
    for text in (code(), code().replace(line, finding.fix.line)):
        namespace = {}
        exec(text, namespace)
        torch.manual_seed(0)
        model = namespace["Encoder"](9, 4, 3)
        tokens, lengths = torch.arange(1, 9).view(2, 4), torch.tensor([4, 2])
        given.append(model(tokens, lengths, lengths - 1))
    wrong, right = given
    assert torch.allclose(wrong[:, :3], right[:, :3])
    assert not torch.allclose(wrong[:, 3:], right[:, 3:], atol=1e-3)


@pytest.mark.parametrize(
    "text",
    [
        code(both="False"),
        # Another position than the last one may well be meant of both directions.
        code(index="entity"),
        code(index="entity - 1"),
        code(index="torch.zeros_like(lengths)"),
    ],
)
def test_right_code(text):
    assert found(text) == []
