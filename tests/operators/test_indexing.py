"""Index expressions, read and written, held against NumPy and torch on random keys."""

from __future__ import annotations

import random
from typing import Any

import pytest

pytest.importorskip("torch")

from attncheck.algebra.facts import Facts
from attncheck.algebra.shape import Axis, Row, Shape, Tag, closed, expand
from attncheck.algebra.size import Symbol, const, of
from attncheck.operators import indexing
from attncheck.operators.call import Call
from attncheck.operators.events import Outcome, Selection
from attncheck.values.tensor import Tensor
from attncheck.values.value import Const, Int, Sequence, Slice, Value

from .comparing import contradiction, known, shape_contradiction
from .harness import KINDS, Array, Dim, Draw, Variant, as_dim, overlaps, real_argument

CALLS = 400


# -- random keys -----------------------------------------------------------------------------------


def bound(draw: Draw, sizes: list[Dim]) -> Any:
    """A slice bound: nothing, a number, a size of the tensor, a part of one, or an alien size."""
    near = draw.choice(sizes) if sizes else as_dim(1)
    options = [None, draw.random.randint(-4, 4), near, near // 2, draw.dim()]
    return draw.choice(options)


def array_key(draw: Draw, sizes: list[Dim]) -> Any:
    """An integer array, a list of numbers, or a mask over one or two of the axes."""
    kind = draw.random.random()
    if kind < 0.5:
        shape = [draw.choice([as_dim(1), draw.dim(2, 3)]) for _ in range(draw.random.randint(0, 2))]
        return Array(*shape, dtype="int", below=1)
    if kind < 0.7:
        return [0] * draw.random.randint(1, 3)
    return Array(*(draw.other(size) for size in sizes[: draw.random.randint(1, 2)]), dtype="bool")


def random_key(draw: Draw, sizes: list[Dim], library: str) -> list[Any]:
    """The items between the brackets; now and then too many of them, or wrong ones."""
    items: list[Any] = []
    left = list(sizes)
    while left and not draw.chance(0.2):
        chance = draw.random.random()
        if chance < 0.45:
            step = draw.choice([None, None, None, 1, 2, 3, -1 if library == "numpy" else 2])
            items.append(slice(bound(draw, left), bound(draw, left), step))
            left.pop(0)
        elif chance < 0.6:
            items.append(draw.choice([0, -1, 0, 1, left[0], -3]))
            left.pop(0)
        elif chance < 0.75:
            items.append(None)
        elif chance < 0.8:
            items.append(slice(None))
            left.pop(0)
        else:
            item = array_key(draw, left)
            items.append(item)
            del left[: len(item.sizes) if isinstance(item, Array) and item.dtype == "bool" else 1]
    if draw.chance(0.3):
        items.insert(draw.random.randint(0, len(items)), ...)
    if draw.chance(0.03):
        items.append(0)
    return items or [...]


def read(source: random.Random, key: list[Any], x: Array, library: str) -> tuple[Any, Any]:
    """The tensor and what the key selects; raises IndexError or ValueError as the library does."""
    real = real_argument(x, library, source)
    real_key = tuple(real_argument(item, library, source) for item in key)
    return real, real[real_key]


def model(key: list[Any], tensor: Tensor, variant: Variant, facts: Facts | None = None) -> Outcome:
    arguments: dict[str, Value] = {
        "x": tensor,
        "key": Sequence(tuple(variant.value(item) for item in key)),
    }
    return indexing.index(Call(facts or Facts(), arguments, variant.library, "[]"))


def masks_meet(key: list[Any]) -> bool:
    """Whether the data decide if the index arrays have the same length."""
    arrays = [item for item in key if isinstance(item, Array | list)]
    masks = [item for item in arrays if isinstance(item, Array) and item.dtype == "bool"]
    return bool(masks) and len(arrays) > 1


# -- reading ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("library", ["numpy", "torch"])
@pytest.mark.parametrize("kind", KINDS)
def test_selects_what_the_library_selects(library: str, kind: str) -> None:
    answered = 0
    for seed in range(CALLS):
        source = random.Random(seed)
        draw = Draw(source)
        sizes = draw.shape()
        key, x = random_key(draw, sizes, library), Array(*sizes)
        variant = Variant(library, kind, source, draw.symbols)
        tensor, facts = variant.value(x), Facts()
        assert isinstance(tensor, Tensor)
        outcome = model(key, tensor, variant, facts)
        told = f"{library} seed {seed}: {tensor.shape} for {sizes}[{key}]\n{outcome}"
        try:
            _, real = read(source, key, x, library)
        except (IndexError, ValueError, RuntimeError) as refusal:
            unsure = kind != "numbers" or masks_meet(key)
            assert unsure or outcome.clash is not None, f"{told}\nrefused: {refusal}"
            continue
        if any(overlaps(expand(shape, facts), len(real)) for shape, real in variant.opened):
            continue
        assert outcome.clash is None, f"{told}\ngives {tuple(real.shape)}"
        wrong = contradiction(outcome.value, real, variant.numbers)
        assert wrong is None, f"{told}\n{wrong}"
        for opened, numbers in variant.opened:
            wrong = shape_contradiction(expand(opened, facts), numbers, variant.numbers)
            assert wrong is None, f"{told}\nforced: {wrong}"
        has_mask = any(isinstance(item, Array) and item.dtype == "bool" for item in key)
        assert kind != "numbers" or has_mask or known(outcome.value), f"{told}\nleft unanswered"
        answered += isinstance(outcome.value, Tensor) and outcome.value.shape is not None
    assert answered > CALLS // 4


@pytest.mark.parametrize("library", ["numpy", "torch"])
def test_kept_axes_are_those_of_the_input(library: str) -> None:
    for seed in range(CALLS):
        source = random.Random(seed)
        draw = Draw(source)
        # Of pairwise different primes, so that a size tells which axis it came from.
        primes = source.sample([7, 11, 13, 17], source.randint(1, 4))
        sizes = [as_dim(prime) for prime in primes]
        key = random_key(draw, sizes, library)
        axes = tuple(Axis(const(prime), Tag("x", i)) for i, prime in enumerate(primes))
        outcome = model(key, Tensor(closed(axes), library), Variant(library, "numbers", source, {}))
        if outcome.clash is not None or not isinstance(outcome.value, Tensor):
            continue
        shape, event = outcome.value.shape, outcome.event
        if shape is None:
            continue
        assert isinstance(event, Selection)
        for axis, origin in zip(shape.axes, event.kept, strict=True):
            assert axis.tag == (None if origin is None else Tag("x", origin)), (key, outcome)


# -- single cases ----------------------------------------------------------------------------------

T, D = Symbol("T"), Symbol("d")
STATES = Tensor(closed((Axis(of(T), Tag("h", 0)), Axis(of(D), Tag("h", 1)))), "torch", "float")


def selected(tensor: Tensor, *items: Value) -> str:
    call = Call(Facts(), {"x": tensor, "key": Sequence(items)}, tensor.library or "", "[]")
    value = indexing.index(call).value
    assert isinstance(value, Tensor)
    return str(value.shape)


@pytest.mark.parametrize(
    ("items", "shape"),
    [
        ((Slice(Int(const(1)), None, None),), "(T - 1, d)"),
        ((Slice(None, Int(const(-1)), None),), "(T - 1, d)"),
        ((Slice(Int(const(-1)), None, None),), "(1, d)"),
        ((Slice(None, Int(of(T)), None),), "(T, d)"),
        ((Slice(None, Int(of(D)), None),), "(?, d)"),
        ((Slice(None, Int(const(5)), None),), "(?, d)"),
        ((Const(...), Slice(None, Int(of(D) // 2), None)), "(T, d//2)"),
        ((Const(...), Slice(Int(of(D) // 2), None, None)), "(T, d - d//2)"),
        ((Const(None), Const(...), Int(const(0))), "(1, T)"),
        ((Int(None),), "(d,)"),
    ],
)
def test_symbolic_slices(items: tuple[Value, ...], shape: str) -> None:
    assert selected(STATES, *items) == shape


def test_one_step_of_a_loop() -> None:
    step = of(Symbol("t"))
    assert selected(STATES, Slice(Int(step), Int(step + 1), None)) == "(1, d)"


def test_unknown_index_gives_an_unknown_shape() -> None:
    mask_or_numbers = Tensor(closed((Axis(const(3)),)), "torch", None)
    assert selected(STATES, mask_or_numbers) == "None"


def test_last_step_of_a_projected_tensor() -> None:
    projected = Tensor(Shape((), Row("x"), (Axis(of(D)),)), "torch")
    full = Slice(None, None, None)
    assert selected(projected, full, Int(const(-1)), full) == "(x_0, ..., d)"
    # Of a matrix this is the last feature, of a batch of sequences the last step.
    assert selected(projected, full, Int(const(-1))) == "None"


# -- writing ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("library", ["numpy", "torch"])
@pytest.mark.parametrize("kind", KINDS)
def test_writes_what_the_library_writes(library: str, kind: str) -> None:
    for seed in range(CALLS):
        source = random.Random(seed)
        draw = Draw(source)
        sizes = draw.shape(1)
        # One array at most: that two masks select equally many is for the data to say.
        key = [k for k in random_key(draw, sizes, library) if not isinstance(k, Array | list)]
        x, variant = Array(*sizes), Variant(library, kind, source, draw.symbols)
        try:
            real, target = read(source, key or [...], x, library)
        except (IndexError, ValueError, RuntimeError):
            continue
        written = [draw.choice([as_dim(size), as_dim(1), draw.dim()]) for size in target.shape]
        if draw.chance(0.3):
            written = written[source.randint(0, len(written)) :]
        y = Array(*written)
        arguments = {
            "x": variant.value(x),
            "key": Sequence(tuple(variant.value(item) for item in key or [...])),
            "y": variant.value(y),
        }
        outcome = indexing.assign(Call(Facts(), arguments, library, "[]="))
        told = f"{library} seed {seed}: {sizes}[{key}] = {written}\n{outcome}"
        real_key = tuple(real_argument(item, library, source) for item in key or [...])
        try:
            real[real_key] = real_argument(y, library, source)
        except (ValueError, RuntimeError) as refusal:
            assert kind != "numbers" or outcome.clash is not None, f"{told}\nrefused: {refusal}"
            continue
        assert outcome.clash is None, f"{told}\nis written"
