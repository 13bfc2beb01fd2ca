"""The copy task: each broken model has one mistake, which raises nothing, matters, and is found."""

import difflib
import json
import subprocess
import sys

import pytest
from example_catalogue import ROOT, load

from attncheck.engine import check_source
from attncheck.settings import Settings

torch = pytest.importorskip("torch")

SILENT = ROOT / "silent"
#: Each broken model: the rule that finds it, and the line.
BUGS = {
    "softmax_axis": ("ATN301", "weights = torch.softmax(scores, dim=0)"),
    "outer_broadcast": ("ATN201", "scores = torch.where(keep, scores, -1e9)"),
    "post_step_state": ("ATN401", "context, _ = self.attention(state, keys, values, keep)"),
    "late_mask": ("ATN503", "weights = torch.softmax(scores, dim=-1) * keep"),
    "scrambled_heads": ("ATN303", "return x.reshape(B * self.n_heads, T, d)"),
}


def text(name):
    return (SILENT / f"{name}.py").read_text(encoding="utf-8")


def found(name):
    """The rules that find something in a file, and the lines, stripped."""
    result = check_source(text(name).encode(), f"{name}.py", Settings())
    assert result.status == "checked"
    lines = text(name).splitlines()
    return [(each.code, lines[each.line - 1].strip()) for each in result.findings]


@pytest.fixture
def task():
    return load(SILENT / "copy_task.py", "copy_task")


def model(name, symbols=9):
    torch.manual_seed(0)
    return load(SILENT / f"{name}.py").CopyModel(symbols).eval()


@pytest.mark.parametrize("name", ["attention", "no_attention", "copy_task", "train"])
def test_nothing_is_found_where_nothing_is_wrong(name):
    assert found(name) == []


@pytest.mark.parametrize("name", BUGS)
def test_the_mistake_is_found(name):
    assert found(name) == [BUGS[name]]


@pytest.mark.parametrize("name", BUGS)
def test_it_is_the_only_difference(name):
    """At most four lines go and four come, those of the module's docstring apart."""
    before = text("attention").partition("\nimport torch")[2].splitlines()
    after = text(name).partition("\nimport torch")[2].splitlines()
    changes = [line for line in difflib.ndiff(before, after) if line[0] in "+-"]
    assert 0 < sum(line[0] == "+" for line in changes) <= 4
    assert 0 < sum(line[0] == "-" for line in changes) <= 4


@pytest.mark.parametrize("name", BUGS)
def test_it_raises_nothing_and_computes_something_else(task, name):
    right, wrong = model("attention"), model(name)
    wrong.load_state_dict(right.state_dict())
    batch = task.draw([7, 4, 6], 9, torch.Generator().manual_seed(1))
    expected = right(batch.source, batch.lengths, batch.previous)
    got = wrong(batch.source, batch.lengths, batch.previous)
    assert got.shape == expected.shape == (3, 7, 9)
    assert not torch.allclose(got, expected, atol=1e-4)


def test_padding_changes_nothing_in_the_right_model(task):
    right = model("attention")
    batch = task.draw([7, 4], 9, torch.Generator().manual_seed(1))
    alone = right(batch.source[1:, :4], batch.lengths[1:], batch.previous[1:, :4])
    together = right(batch.source, batch.lengths, batch.previous)
    assert torch.allclose(together[1, :4], alone[0], atol=1e-5)


def test_sequences_are_drawn_padded_and_shifted(task):
    batch = task.draw([3, 5], 9, torch.Generator().manual_seed(0))
    assert batch.source.shape == (2, 5)
    assert (batch.source[0] == 0).tolist() == [False, False, False, True, True]
    assert set(batch.source[batch.source != 0].tolist()) <= set(range(2, 9))
    assert batch.previous[:, 0].tolist() == [1, 1]
    assert torch.equal(batch.previous[:, 1:], batch.source[:, :-1])


@pytest.mark.parametrize(("shift", "share"), [(0, 1.0), (1, 0.0)])
def test_accuracy_is_the_share_of_symbols_written_right(task, shift, share):
    def writes(source, lengths, previous):
        symbols = torch.where(source == 0, 0, (source - 2 + shift) % 7 + 2)
        return torch.nn.functional.one_hot(symbols, 9).float()

    assert task.accuracy(writes, 6, 9, torch.Generator().manual_seed(0), 4) == share


def test_a_short_run_writes_the_numbers_and_the_figure(tmp_path):
    pytest.importorskip("matplotlib")
    figure = tmp_path / "new" / "figure.png"
    small = ["--steps", "2", "--batch", "2", "--sequences", "1"]
    command = [sys.executable, SILENT / "train.py", *small, "--output", figure]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    numbers = json.loads(figure.with_suffix(".json").read_text())
    assert list(numbers["accuracy"]) == ["attention", "no_attention", *BUGS]
    for values in numbers["accuracy"].values():
        assert len(values) == len(numbers["lengths"]) == 9
        assert all(0 <= value <= 1 for value in values)
    assert figure.read_bytes().startswith(b"\x89PNG")
    assert done.stdout.splitlines()[-1].startswith("scrambled_heads")
