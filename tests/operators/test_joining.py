"""Joins and splits: what the registry's random calls do not show."""

from __future__ import annotations

import pytest

pytest.importorskip("torch")

import torch

from attncheck.algebra.facts import Facts
from attncheck.algebra.shape import Axis, Row, Shape, closed, shape_of
from attncheck.algebra.size import Symbol, const, of
from attncheck.operators import joining, splitting
from attncheck.operators.call import Call, Operator
from attncheck.operators.events import Outcome
from attncheck.values.tensor import Tensor
from attncheck.values.value import UNKNOWN, Int, Sequence, Value

B, T, S, D = (of(Symbol(name)) for name in "BTSD")


def run(operator: Operator, facts: Facts | None = None, **arguments: Value) -> Outcome:
    return operator(Call(facts or Facts(), arguments, "torch", "torch.test"))


def shapes(outcome: Outcome) -> list[str]:
    value = outcome.value
    items = value.items if isinstance(value, Sequence) else (value,)
    assert items is not None
    return [str(item.shape) for item in items if isinstance(item, Tensor)]


def tensor(*sizes: object) -> Tensor:
    return Tensor(shape_of(*sizes), "torch", "float")  # type: ignore[arg-type]


@pytest.mark.parametrize("size", range(1, 12))
@pytest.mark.parametrize("count", range(1, 7))
def test_chunks_of_numbers(size: int, count: int) -> None:
    outcome = run(splitting.chunk, x=tensor(size), count=Int(const(count)))
    real = torch.zeros(size).chunk(count)
    assert shapes(outcome) == [f"({len(piece)},)" for piece in real]


def test_chunks_of_a_symbol_are_assumed_to_be_equal() -> None:
    facts = Facts()
    last = Int(const(-1))
    outcome = run(splitting.chunk, facts, x=tensor(T, D), count=Int(const(2)), axis=last)
    assert shapes(outcome) == ["(T, D//2)", "(T, D//2)"]
    pieces = outcome.value
    assert isinstance(pieces, Sequence)
    rejoined = run(joining.concatenate, facts, xs=pieces, axis=last)
    assert isinstance(rejoined.value, Tensor)
    assert rejoined.value.shape is not None
    width = rejoined.value.shape.axes[1].size
    assert width is not None
    assert facts.compare(width, D).value == "equal"


def test_split_of_a_product_counts_its_pieces() -> None:
    fused = tensor(B, T, 3 * D)
    outcome = run(splitting.split, x=fused, size=Int(D), axis=Int(const(2)))
    assert shapes(outcome) == ["(B, T, D)"] * 3
    halves = run(splitting.split, x=tensor(B, D), size=Int(D // 2), axis=Int(const(1)))
    assert shapes(halves) == ["(B, D//2)"] * 2


def test_split_of_an_unknown_size_has_unlisted_pieces() -> None:
    outcome = run(splitting.split, x=tensor(B, T), size=Int(D), axis=Int(const(1)))
    value = outcome.value
    assert isinstance(value, Sequence)
    assert value.items is None
    assert str(value.element.shape) == "(B, ?)"  # type: ignore[union-attr]


def test_sizes_that_do_not_add_up_are_told() -> None:
    sizes = Sequence((Int(D), Int(D)))
    outcome = run(splitting.split, x=tensor(B, 3 * D), size=sizes, axis=Int(const(1)))
    assert outcome.clash is not None
    assert outcome.clash.text == "splits an axis of 3*D into (D, D), together 2*D"


def test_concatenation_forces_what_it_joins() -> None:
    facts = Facts()
    unseen = Symbol("x_0", flexible=True)
    state = Tensor(closed((Axis(of(unseen)), Axis(D))), "torch")
    pair = Sequence((tensor(B, S), state))
    outcome = run(joining.concatenate, facts, xs=pair, axis=Int(const(1)))
    assert shapes(outcome) == ["(B, S + D)"]
    assert facts.resolve(of(unseen)) == B


def test_concatenation_closes_an_open_shape() -> None:
    facts = Facts()
    opened = Tensor(Shape((), Row("x")), "torch")
    pair = Sequence((opened, tensor(B, T, D)))
    outcome = run(joining.concatenate, facts, xs=pair, axis=Int(const(-1)))
    assert shapes(outcome) == ["(B, T, D + x_2)"]


def opened(*sizes: object, last: object) -> Tensor:
    """A tensor of which the first axes and the last one are known, which may overlap."""
    lead, trail = shape_of(*sizes).lead, shape_of(last).lead  # type: ignore[arg-type]
    return Tensor(Shape(lead, Row("x", born=False), trail), "torch", "float")


def test_an_axis_that_may_be_the_last_one_is_joined_as_such() -> None:
    pair = Sequence((opened(B, T, last=8), opened(B, S, last=9)))
    outcome = run(joining.concatenate, xs=pair, axis=Int(const(1)))
    assert outcome.clash is None
    assert shapes(outcome) == ["(B, T + S, ...)"]
    assert torch.cat([torch.zeros(2, 8), torch.zeros(2, 9)], 1).shape == (2, 17)
    pair = Sequence((opened(B, T, last=8), opened(B, T, last=9)))
    outcome = run(joining.concatenate, xs=pair, axis=Int(const(-1)))
    assert outcome.clash is None
    assert shapes(outcome) == ["(B, ..., 17)"]


def test_the_first_axis_is_not_the_last() -> None:
    pair = Sequence((opened(B, last=8), opened(S, last=8)))
    outcome = run(joining.concatenate, xs=pair, axis=Int(const(0)))
    assert shapes(outcome) == ["(B + S, ..., 8)"]
    pair = Sequence((opened(B, T, last=8), opened(B, T, last=9)))
    outcome = run(joining.concatenate, xs=pair, axis=Int(const(0)))
    assert outcome.clash is not None and outcome.clash.text.endswith("8 meets 9 on an axis")


def test_torch_skips_empty_vectors_in_a_join() -> None:
    start = Tensor(shape_of(0), "torch", "float")
    outcome = run(joining.concatenate, xs=Sequence((start, tensor(B, D))), axis=Int(const(1)))
    assert shapes(outcome) == ["(B, D)"]
    assert torch.cat([torch.empty(0), torch.zeros(2, 3)], dim=1).shape == (2, 3)


@pytest.mark.parametrize("unseen", [Tensor(None, "torch", "float"), UNKNOWN])
@pytest.mark.parametrize(
    ("axis", "expected"), [(1, "(B, ?, D)"), (-1, "(B, T, ?)"), (0, "(?, T, D)")]
)
def test_what_is_joined_with_something_unknown_has_its_axes(
    unseen: Value, axis: int, expected: str
) -> None:
    for items in ((tensor(B, T, D), unseen), (unseen, tensor(B, T, D))):
        outcome = run(joining.concatenate, xs=Sequence(items), axis=Int(const(axis)))
        assert outcome.clash is None
        assert shapes(outcome) == [expected]


def test_an_empty_vector_says_nothing_of_what_it_is_joined_with() -> None:
    start, unseen = Tensor(shape_of(0), "torch", "float"), Tensor(None, "torch", "float")
    items = Sequence((start, unseen))
    assert shapes(run(joining.concatenate, xs=items, axis=Int(const(0)))) == ["None"]
    items = Sequence((start, unseen, tensor(B, D)))
    assert shapes(run(joining.concatenate, xs=items, axis=Int(const(0)))) == ["(?, D)"]
    assert torch.cat([torch.empty(0), torch.zeros(4, 3), torch.zeros(2, 3)]).shape == (6, 3)
    with pytest.raises(RuntimeError):
        torch.cat([torch.zeros(4, 2, 3), torch.zeros(2, 3)])


def test_concatenation_names_the_sizes_that_differ() -> None:
    pair = Sequence((tensor(B, 2 * T, D), tensor(B, T, D)))
    outcome = run(joining.concatenate, xs=pair, axis=Int(const(2)))
    assert outcome.clash is not None
    text = "joins (B, 2*T, D) and (B, T, D) along axis 2: 2*T meets T on axis 1"
    assert outcome.clash.text == text
    assert outcome.clash.operand == 1


def test_stack_of_a_list_of_unknown_length() -> None:
    states = Sequence(None, element=tensor(B, D), length=T)
    outcome = run(joining.stack, xs=states, axis=Int(const(1)))
    assert shapes(outcome) == ["(B, T, D)"]


def test_concatenation_of_a_list_of_unknown_length() -> None:
    heads = Sequence(None, element=tensor(B, T, D), length=S)
    outcome = run(joining.concatenate, xs=heads, axis=Int(const(-1)))
    assert shapes(outcome) == ["(B, T, S*D)"]
    rows = Sequence(None, element=tensor(D), length=T)
    assert shapes(run(joining.vstack, xs=rows)) == ["(T, D)"]
