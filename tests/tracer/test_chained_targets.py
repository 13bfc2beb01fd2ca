"""``a = b = f(x)``: two names of one value, of which nobody knows every size."""

import pytest

from attncheck.engine import trace_shapes
from attncheck.settings import Settings


@pytest.mark.parametrize("given", ["a = b = st.reshape(4, n, -1)", "a = b = e = st.view(4, n, -1)"])
def test_what_two_names_are_given_at_once_has_one_size(given):
    code = f"import torch\ndef f(st, n):\n    {given}\n    c = torch.cat([b, a], 2)\n    return c\n"
    rows = {row.name: row.shape for row in trace_shapes(code.encode(), "x.py", Settings())}
    assert rows["a"] == rows["b"]
    assert [str(size) for size in rows["c"]] == ["4", "n", "2*a_2"]


def test_a_name_that_is_given_something_later_has_a_size_of_its_own():
    code = """import torch
def f(st, n):
    a = b = st.reshape(4, n, -1)
    b = st.reshape(n, 4, -1)
    c = torch.cat([a.transpose(0, 1), b], 2)
    return c
"""
    rows = {row.name: row.shape for row in trace_shapes(code.encode(), "x.py", Settings())}
    assert [str(size) for size in rows["c"]] == ["n", "4", "a_2 + b_2"]
