"""ATN103: a constructor's size in the names that its function has."""

import pytest

from attncheck.edits import apply_edits
from attncheck.engine import check_source
from attncheck.settings import Settings

TORCH = "import torch\nfrom torch import nn\n"
HEADS = """\
width, n_head, head_size = 16, 3, 4
class Head(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.v = nn.Linear(width, size)
    def forward(self, x):
        return self.v(x)
class Heads(nn.Module):
    def __init__(self, num, size):
        super().__init__()
        self.heads = nn.ModuleList([Head(size) for _ in range(num)])
        self.proj = nn.Linear(width, width)
    def forward(self, x):
        out = torch.cat([h(x) for h in self.heads], dim=-1)
        return self.proj(out)
"""
BLOCK = """\
class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.attend = Heads(n_head, head_size)
    def forward(self, x):
        return x + self.attend(x)
y = Block()(torch.ones(2, 5, width))
"""
PIXELS = """\
{constant}class Pixels(nn.Module):
    def __init__(self, {parameters}):
        super().__init__()
        {local}
        self.fc = nn.Linear({first}, 7)
    def forward(self, x):
        return self.fc(x.flatten(1))
y = Pixels({given})(torch.ones(3, 6, 5))
"""


def findings(code):
    return check_source((TORCH + code).encode(), "x.py", Settings()).findings


def run(code, edits):
    scope = {}
    text = apply_edits((TORCH + code).encode(), edits).decode()
    exec(compile(text, "fixed", "exec"), scope)
    return tuple(scope["y"].shape)


def test_heads_put_side_by_side_are_as_wide_as_all_of_them():
    code = HEADS + BLOCK
    (finding,) = findings(code)
    assert (finding.code, finding.line) == ("ATN103", 14)
    assert finding.fix.line == "self.proj = nn.Linear(num * size, width)"
    assert finding.regression == ("assert self.proj.in_features == num * size",)
    assert run(code, finding.fix.edits) == (2, 5, 16)


@pytest.mark.parametrize(
    ("parameters", "given", "local", "constant", "first", "line"),
    [
        ("rows, columns", "6, 5", "", "", "rows", "nn.Linear(rows * columns, 7)"),
        ("rows, whole", "6, 30", "size = rows", "", "size", "nn.Linear(whole, 7)"),
        ("rows", "6", "whole = 30", "", "rows", "nn.Linear(whole, 7)"),
        ("rows, half", "6, 15", "", "", "rows", "nn.Linear(2 * half, 7)"),
        ("rows, more", "6, 24", "", "", "rows", "nn.Linear(rows + more, 7)"),
        ("rows, double", "2, 60", "", "", "rows", "nn.Linear(double // rows, 7)"),
        ("rows", "6", "", "WHOLE = 30\n", "rows", "nn.Linear(WHOLE, 7)"),
        # What the class is told goes before what the module says, and one name before two.
        (
            "rows, columns",
            "6, 5",
            "",
            "ROWS, COLUMNS = 6, 5\n",
            "rows",
            "nn.Linear(rows * columns, 7)",
        ),
        ("rows, columns, whole", "6, 5, 30", "", "", "rows", "nn.Linear(whole, 7)"),
        # Of two that have the size nobody knows which was meant.
        ("rows, whole, every", "6, 30, 30", "", "", "rows", None),
        ("rows, columns, half", "6, 5, 15", "", "", "rows", None),
        # A copy is the name it is a copy of; one name cannot be two.
        ("rows, whole", "6, 30", "self.whole = whole", "", "rows", "nn.Linear(whole, 7)"),
        ("rows", "6", "", "whole = 30\nwhole = 5\n", "rows", None),
    ],
)
def test_sizes_that_only_the_call_shows(parameters, given, local, constant, first, line):
    code = PIXELS.format(
        parameters=parameters, given=given, local=local, constant=constant, first=first
    )
    (finding,) = findings(code)
    assert finding.code == "ATN103"
    assert (finding.fix and finding.fix.line) == (line and f"self.fc = {line}")
    if line is not None:
        assert run(code, finding.fix.edits) == (3, 7)


JOINED = """\
class Step(nn.Module):
    def __init__(self, {parameters}):
        super().__init__()
        self.score = nn.Linear(hidden, 1)
        self.mix = nn.Linear(hidden, hidden)
    def forward(self, x, states):
        weights = self.score(states).softmax(dim=0)
        context = (weights * states).sum(0)
        return self.mix(torch.cat((x, context), {axis}).relu())
y = Step({given})(torch.ones(3, {own}), torch.ones(7, 3, 6))
"""


@pytest.mark.parametrize(
    ("parameters", "given", "own", "line"),
    [
        # 12 tags are no reason: what is joined is twice as wide as the states.
        ("hidden, tags", "6, 12", 6, "self.mix = nn.Linear(2 * hidden, hidden)"),
        ("hidden, width", "6, 4", 4, "self.mix = nn.Linear(width + hidden, hidden)"),
        ("hidden, width, tags", "6, 4, 10", 4, "self.mix = nn.Linear(width + hidden, hidden)"),
        ("hidden, tags", "6, 10", 4, None),
        ("hidden, one, other", "6, 4, 4", 4, None),
    ],
)
@pytest.mark.parametrize("axis", ["1", "-1"])
def test_what_was_joined_is_the_sum_of_its_parts(parameters, given, own, line, axis):
    code = JOINED.format(parameters=parameters, given=given, own=own, axis=axis)
    (finding,) = findings(code)
    assert finding.code == "ATN103"
    assert (finding.fix and finding.fix.line) == line
    if line is not None:
        assert run(code, finding.fix.edits) == (3, 6)
