"""Which libraries a file imports, in every way of writing that."""

import pytest

from attncheck.tracer.libraries import array_libraries


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("import torch\n", ("torch",)),
        ("import math, torch\n", ("torch",)),
        ("import numpy as np, torch.nn as nn\n", ("torch", "numpy")),
        ("    from torch.nn import functional\n", ("torch",)),
        ("from flax import linen\n", ("jax",)),
        ("import tf_keras\n", ("tensorflow",)),
        ("import mytorch, x\n", ()),
        ("from models import torch\n", ()),
        ("# import torch\n", ()),
        # The arrays of others have the same methods with other meanings.
        ("import os, cupy, numpy\n", ()),
    ],
)
def test_libraries_are_known_by_their_imports(text, expected):
    assert array_libraries(text) == expected
