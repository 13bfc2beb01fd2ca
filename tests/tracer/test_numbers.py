"""Arguments that are numbers: those that count an axis, and settings of any name."""

import pytest

from tracer.tracing import function, last


@pytest.mark.parametrize(
    "body, shape",
    [
        ("w = np.random.randn(d, h) / np.sqrt(d)", ("d", "h")),
        ("w = np.random.randn(d, 4 * h) / np.sqrt(d)\n    w = w * d", ("d", "4*h")),
        ("w = np.zeros((h, d + h)) * np.sqrt(2.0 / h)", ("h", "d + h")),
        ("w = torch.randn(d, h) * d ** -0.5\n    w = w + h", ("d", "h")),
        ("w = torch.ones(3, 2) / torch.sqrt(d)", None),  # may be a tensor with axes
        ("w = np.zeros(d)\n    w = np.ones((3, 2)) / np.sqrt(d)", None),  # or a tuple
    ],
)
def test_what_counts_an_axis_has_none_itself(body, shape):
    assert last(function(f"def f(d, h):\n    {body}\n    return w\n"), "w") == shape


SETTINGS = """
def f(cfg):
    c = cfg
    heads, width = c.heads, c.{name} // c.heads
    y = torch.zeros(heads, width, 2 * c.{name})
    return y
"""


@pytest.mark.parametrize("name", ["dim", "size", "hidden", "max", "mean"])
def test_settings_that_are_called_like_methods_of_tensors(name):
    size = f"cfg.{name}"
    assert last(function(SETTINGS.format(name=name)), "y") == (
        "cfg.heads",
        f"{size}//cfg.heads",
        f"2*{size}",
    )


@pytest.mark.parametrize(
    ("made", "shape"),
    [
        ("torch.Tensor(n, 1, k)", ("n", 1, "k")),
        ("torch.FloatTensor(n, 3)", ("n", 3)),
        ("torch.Tensor(3, n)", (3, "n")),
        # One argument alone may be data, for all that is known where it is read.
        ("torch.Tensor(n)", None),
    ],
)
def test_sizes_stand_beside_each_other(made, shape):
    code = f"def f(n, k):\n    z = {made}\n    y = torch.zeros(2, n, k)\n    return z\n"
    assert last(function(code, head="import torch\n"), "z") == shape
