"""Views of memory against torch: which there are, and in what order their elements then lie."""

from __future__ import annotations

import random
from math import prod

import pytest

torch = pytest.importorskip("torch")

from attncheck.algebra.facts import Facts  # noqa: E402
from attncheck.algebra.memory import (  # noqa: E402
    Apart,
    Memory,
    Why,
    expanded,
    in_order,
    permuted,
    sliced,
    viewed,
    with_ones,
    without_ones,
)
from attncheck.algebra.size import ONE, Symbol, const, of  # noqa: E402

TWO = const(2)
B, T, H, D, C = (of(Symbol(name)) for name in "BTHDC")


def lies(tensor):
    """The axes that are longer than 1 and hold different elements, as their elements lie."""
    solid = [a for a, size in enumerate(tensor.shape) if size > 1 and tensor.stride(a)]
    return tuple(sorted(solid, key=lambda axis: -tensor.stride(axis)))


def permutation(tensor, memory, source):
    order = source.sample(range(tensor.dim()), tensor.dim())
    return tensor.permute(order), permuted(memory, order)


def drawn(source):
    """A tensor with axes of all kinds of sizes, in some order, and what is known of it."""
    sizes = [source.choice([1, 1, 2, 2, 3, 4, 6]) for _ in range(source.randint(1, 5))]
    return permutation(torch.zeros(sizes), in_order(list(map(const, sizes))), source)


def part(tensor, memory, source):
    """A slice of a tensor."""
    axis = source.randrange(tensor.dim())
    count = source.randint(1, tensor.shape[axis])
    if count == tensor.shape[axis]:
        return tensor, memory
    start = source.randint(0, tensor.shape[axis] - count)
    return tensor.narrow(axis, start, count), sliced(memory, axis, const(count))


def stretch(tensor, memory, source):
    """A tensor whose axes of 1 are expanded, with an axis more in front."""
    sizes = [3 if size == 1 and source.random() < 0.5 else size for size in tensor.shape]
    front = [2] if tensor.dim() < 5 else []
    copies = [0] if front else []
    for axis, size in enumerate(sizes):
        if size != tensor.shape[axis]:
            copies.append(axis + len(front))
    sizes = front + sizes
    return tensor.expand(sizes), expanded(memory, list(map(const, sizes)), copies)


def factors(count, source):
    """Sizes whose product is `count`, with axes of 1 among them."""
    sizes = []
    while count > 1:
        size = source.choice([each for each in range(2, count + 1) if count % each == 0])
        sizes.append(size)
        count //= size
    for _ in range(source.choice([0, 0, 1, 2]) if sizes else 1):
        sizes.insert(source.randint(0, len(sizes)), 1)
    return sizes


@pytest.mark.parametrize("seed", range(40))
def test_views_are_those_of_torch(seed):
    source, refused = random.Random(seed), 0
    for _ in range(50):
        tensor, memory = drawn(source)
        for _ in range(3):
            wanted = factors(prod(tensor.shape), source)
            found = viewed(memory, list(map(const, wanted)), Facts())
            try:
                seen = tensor.view(wanted)
            except RuntimeError:
                refused += 1
                assert isinstance(found, Apart)
                continue
            assert isinstance(found, Memory)
            assert found.order == lies(seen)
            tensor, memory = seen, found
    assert refused > 10


STEPS = {"part": part, "part again": part, "stretch": stretch, "permutation": permutation}


@pytest.mark.parametrize("seed", range(40))
def test_views_of_parts_and_of_copies_are_those_of_torch(seed):
    source, refused = random.Random(seed), 0
    for _ in range(60):
        tensor, memory = drawn(source)
        for _ in range(source.randint(1, 5)):
            tensor, memory = STEPS[source.choice(list(STEPS))](tensor, memory, source)
            assert memory.order == lies(tensor)
            wanted = factors(prod(tensor.shape), source)
            found = viewed(memory, list(map(const, wanted)), Facts())
            try:
                seen = tensor.view(wanted)
            except RuntimeError:
                refused += 1
                assert isinstance(found, Apart)
                continue
            assert isinstance(found, Memory)
            if source.random() < 0.3:
                tensor, memory = seen, found
    assert refused > 20


@pytest.mark.parametrize("seed", range(10))
def test_axes_of_one_come_and_go(seed):
    source = random.Random(seed)
    for _ in range(50):
        tensor, memory = drawn(source)
        axis = source.randint(0, tensor.dim())
        assert with_ones(memory, (axis,)).order == lies(tensor.unsqueeze(axis))
        ones = [axis for axis, size in enumerate(tensor.shape) if size == 1]
        others = [axis for axis, size in enumerate(tensor.shape) if size > 1]
        if ones:
            gone = source.choice(ones)
            assert without_ones(memory, (gone,)).order == lies(tensor.squeeze(gone))
        if others:
            assert without_ones(memory, (source.choice(others),)) is None


HEADS = permuted(in_order((B, H, T, D)), (0, 2, 1, 3))

ROWS = in_order((B, T, D))

SYMBOLIC = [
    ("heads merged", HEADS, (B, T, H * D), Apart(2, 3)),
    ("heads merged, the rest left over", HEADS, (B, None, H * D), Apart(2, 3)),
    ("heads merged, the batch as well", HEADS, (B * T, H * D), Apart(2, 3)),
    ("positions folded into the batch", HEADS, (B * T, H, D), Apart(0, 1)),
    ("features split", HEADS, (B, T, H, TWO, D // 2), (0, 2, 1, 3, 4)),
    ("an axis of 1 put in", HEADS, (B, T, ONE, H, D), (0, 3, 1, 4)),
    ("merged as they lie", permuted(HEADS, (0, 2, 1, 3)), (B * H, T * D), (0, 1)),
    (
        "the last two merged",
        permuted(in_order((T, B, H, D)), (1, 0, 2, 3)),
        (B, T, H * D),
        (1, 0, 2),
    ),
    ("rows that are cut", sliced(ROWS, 1, T - 1), (None, D), Apart(0, 1, Why.CUT)),
    (
        "rows that are cut, split",
        sliced(ROWS, 1, T - 1),
        (B, T - 1, TWO, D // 2),
        (0, 1, 2, 3),
    ),
    ("one row of each", sliced(ROWS, 1, ONE), (B * D,), Apart(0, 2, Why.CUT)),
    ("the first ones", sliced(ROWS, 0, const(2)), (2 * T, D), (0, 1)),
    ("copies of each", expanded(ROWS, (C, B, T, D), (0,)), (C * B, T, D), Apart(0, 1, Why.COPIED)),
    ("copies of all", expanded(ROWS, (C, B, T, D), (0,)), (C, B * T, D), (1, 2)),
    ("a width that may be any", HEADS, (B, T, C), None),
    ("two sizes that nobody knows", HEADS, (B, None, None), None),
]


@pytest.mark.parametrize(("what", "memory", "wanted", "expected"), SYMBOLIC)
def test_views_of_sizes_that_are_symbols(what, memory, wanted, expected):
    found = viewed(memory, wanted, Facts())
    assert (found.order if isinstance(found, Memory) else found) == expected


def test_a_division_comes_out_even():
    memory = permuted(in_order((B, H, T, C // H)), (0, 2, 1, 3))
    assert viewed(memory, (B, T, C), Facts()) == Apart(2, 3)


def test_sizes_that_become_one_are_in_nobodys_way():
    one = permuted(in_order((B, H, ONE, D)), (0, 2, 1, 3))
    assert viewed(one, (B, ONE, H * D), Facts()) == Memory((B, ONE, H * D), (0, 2))
    assert viewed(permuted(in_order((const(0), T, H)), (1, 0, 2)), (T, ONE, H), Facts()) is None
