"""Tensors written into a part of another one that has other sizes."""

import pytest

from attncheck.engine import check_source
from attncheck.settings import Settings

TABLE = """\
import {module}


def positions(length, {width}):
    angles = {angles}
    table = {zeros}
    table[:, 0::2] = {name}.sin(angles)
    {line}
    return table


print(positions(12, {width}={number}).shape)
"""
NUMPY = {
    "module": "numpy as np",
    "name": "np",
    "angles": "np.arange(length)[:, None] / 1e4 ** (np.arange(0, {width}, 2) / {width})",
    "zeros": "np.zeros((length, {width}))",
}
TORCH = {
    "module": "torch",
    "name": "torch",
    "angles": "torch.arange(length)[:, None] / 1e4 ** (torch.arange(0, {width}, 2) / {width})",
    "zeros": "torch.zeros(length, {width})",
}


def table(library, line, number, width="d_model"):
    parts = {key: text.replace("{width}", width) for key, text in library.items()}
    return TABLE.format(**parts, line=line, number=number, width=width)


def alarms(code):
    found = check_source(code.encode(), "x.py", Settings()).findings
    return [each for each in found if each.severity != "note"]


@pytest.mark.parametrize("library", [NUMPY, TORCH], ids=["numpy", "torch"])
@pytest.mark.parametrize("part", ["[:, 1::2]", "[:, 1:d_model:2]", "[:, 0 : d_model // 2]"])
def test_an_odd_width_has_fewer_second_columns(library, part):
    line = f"table{part} = {library['name']}.cos(angles)"
    code = table(library, line, 27)
    (finding,) = alarms(code)
    assert (finding.code, finding.line) == ("ATN110", 8)
    written = "(12, (d_model + 1)//2) into (12, d_model//2)"
    assert f"writes {written}: (d_model + 1)//2 meets d_model//2" in finding.message
    assert finding.message.endswith("(hidden while d_model is even)")
    assert finding.tensor.shape == (12, "(d_model + 1)//2")
    assert finding.expected.shape == (12, "d_model//2")
    fixed = f"{line}[:, : d_model // 2]"
    assert finding.fix.line == fixed
    with pytest.raises((ValueError, RuntimeError)):
        exec(code, {})
    right = code.replace(line, fixed)
    assert alarms(right) == []
    exec(right, {})


def test_numbers_that_no_name_holds_are_told_as_they_are():
    code = table(NUMPY, "table[:, 1::2] = np.cos(angles)", 27, width="columns")
    (finding,) = alarms(code)
    assert (finding.code, finding.line) == ("ATN110", 8)
    assert "writes (12, 14) into (12, 13): 14 meets 13" in finding.message
    assert finding.expected.shape == (12, 13)


@pytest.mark.parametrize(
    ("line", "number"),
    [
        ("table[:, 1::2] = np.cos(angles)", 26),
        # A width that nobody shows may well be even.
        ("table[:, 1::2] = np.cos(angles)", "int(input())"),
        ("table[:, 1::2] = np.cos(angles[:, : d_model // 2])", 27),
        ("table[:, 1::2] = np.cos(angles)[:, :-1]", 27),
        ("table[:, 1::2] = 0.5", 27),
        ("table[:, 1::2] = np.cos(angles[:, :1])", 27),
        ("table[:, :1] = np.cos(angles)[..., :1]", 27),
    ],
)
def test_what_fits_is_left_alone(line, number):
    assert alarms(table(NUMPY, line, number)) == []


STEPS = """\
import torch

states = torch.randn(5, 3, 8)
out = torch.zeros(3, 5, 8)
for t in range(5):
    state = states[t]
    {line}
"""


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("out[:, :2] = state", (2, 8)),
        ("out[t] = state[:, :4]", None),
        ("out[:, t] = state.T", (3, 8)),
    ],
)
def test_steps_go_where_there_is_room(line, expected):
    code = STEPS.format(line=line)
    found = alarms(code)
    with pytest.raises((RuntimeError, IndexError)):
        exec(code, {})
    if expected is not None:
        assert [(each.code, each.line, each.expected.shape) for each in found] == [
            ("ATN110", 7, expected)
        ]


@pytest.mark.parametrize(
    "line",
    [
        "out[:, t] = state",
        "out[:, t, :] = state[None]",
        "out[:, t : t + 1] = state[:, None]",
        "out[:, t] = state[:1]",
        "out[out > 0] = 1.0",
        "out[:, t, [0, 1]] = state[:, :2]",
        "out[..., 0] = t",
    ],
)
def test_right_steps_are_left_alone(line):
    code = STEPS.format(line=line)
    assert alarms(code) == []
    exec(code, {})
