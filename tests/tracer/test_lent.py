"""Lists that are handed on: who changes them, and that their names know of it."""

import pytest

from attncheck.engine import check_source
from attncheck.settings import Settings

CODE = '''import logging
from functools import partial

import torch
from somewhere import fill


def add(sizes, other=()):
    sizes.append(3)


def extend(first, sizes):
    sizes += [4]


def put(sizes):
    sizes[0] = 7


def read(sizes):
    return len(sizes)


class Block:
    def __init__(self, x, sizes):
        sizes.extend([x, 4])


class Reader:
    def __init__(self, sizes):
        self.sizes = sizes


def f(x):
    """x (B, 7)."""
    sizes = {start}
    {call}
    return x.split(sizes, dim=-1)
'''


def codes(call, start="[]"):
    source = CODE.replace("{start}", start).replace("{call}", call)
    return [each.code for each in check_source(source.encode(), "x.py", Settings()).findings]


@pytest.mark.parametrize(
    "call",
    [
        "add(sizes)",
        "add(sizes=sizes)",
        "extend(1, sizes)",
        "Block(3, sizes)",
        "Block(3, sizes=sizes)",
        "partial(Block, sizes=sizes)(3)",
        "fill(sizes)",
        "fill(out=sizes)",
        "other = sizes; other.append(7)",
    ],
)
def test_what_a_call_may_have_changed_is_not_known(call):
    assert codes(call) == []


@pytest.mark.parametrize("call", ["pass", "read(sizes)", "Reader(sizes)", "print(sizes)"])
def test_what_a_call_only_reads_stays(call):
    assert codes(call) == ["ATN105"]


def test_an_item_that_a_call_has_put_in():
    assert codes("put(sizes)", "[0]") == []
    assert codes("read(sizes)", "[8]") == ["ATN105"]


def test_another_name_of_a_list_has_what_it_became():
    assert codes("other = sizes; other.append(8)") == ["ATN105"]
    assert codes("other = sizes + []; other.append(7)") == ["ATN105"]
