"""ATN110: what broadcasts as it was before its axes were put in another order."""

import pytest

from attncheck.engine import check_source
from attncheck.settings import Settings

CODE = """import numpy as np
import jax.numpy as jnp
import torch


def score(query, memory):
    return query[:, None, :] * memory


def attend(query, outputs):
    states = {turned}
    return score(query, states)


outputs, query = {module}.ones((15, 99, 24)), {module}.ones((15, 24))
y = attend(query, outputs)
"""
TURNED = [
    ("jnp.transpose(outputs, (1, 0, 2))", "jnp"),
    ("jnp.swapaxes(outputs, 0, 1)", "jnp"),
    ("np.moveaxis(outputs, 1, 0)", "np"),
    ("outputs.transpose(1, 0, 2)", "np"),
    ("outputs.transpose(0, 1)", "torch"),
    ("outputs.permute(1, 0, 2)", "torch"),
]


@pytest.mark.parametrize(("turned", "module"), TURNED)
def test_the_transpose_that_made_it_is_left_out(turned, module):
    code = CODE.format(turned=turned, module=module)
    (finding,) = check_source(code.encode(), "x.py", Settings()).findings
    assert (finding.code, finding.line) == ("ATN110", 11)
    assert (finding.tensor.name, finding.tensor.shape) == ("memory", (99, 15, 24))
    assert finding.expected.shape == (15, 99, 24)
    assert finding.fix.line == "states = outputs"
    right = CODE.format(turned="outputs", module=module)
    assert check_source(right.encode(), "x.py", Settings()).findings == ()


@pytest.mark.parametrize(
    ("turned", "module"),
    [("outputs.transpose(1, 2, 0)", "np"), ("outputs.permute(2, 0, 1)", "torch")],
)
def test_what_it_was_before_has_to_fit(turned, module):
    code = CODE.format(turned=turned, module=module).replace("(15, 24)", "(16, 24)")
    (finding,) = check_source(code.encode(), "x.py", Settings()).findings
    assert (finding.code, finding.fix) == ("ATN110", None)


@pytest.mark.parametrize(("turned", "module"), TURNED)
def test_that_it_raises_and_the_fix_does_not(turned, module):
    pytest.importorskip("torch")
    pytest.importorskip("jax")
    with pytest.raises((ValueError, TypeError, RuntimeError)):
        exec(CODE.format(turned=turned, module=module), {})
    space = {}
    exec(CODE.format(turned="outputs", module=module), space)
    assert tuple(space["y"].shape) == (15, 99, 24)
