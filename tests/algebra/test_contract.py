"""Contraction: sizes that must agree, and axes of one birth that stay apart."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from attncheck.algebra.contract import contract, tell_apart
from attncheck.algebra.facts import Facts, Verdict
from attncheck.algebra.shape import Axis, Tag, shape_of
from attncheck.algebra.size import ONE, Symbol, of

T, D = of(Symbol("T")), of(Symbol("d"))
TABLE = [of(Symbol(name, table=True)) for name in ("d_s", "d_h")]

axes = st.builds(
    Axis,
    st.just(T),
    st.none() | st.builds(Tag, st.sampled_from("xy"), st.just(0), st.integers(0, 1)),
)


def test_an_unseen_axis_is_bound_and_the_reason_kept() -> None:
    facts, unseen = Facts(), of(Symbol("x_1", flexible=True))
    pair = contract(Axis(unseen), Axis(D), facts, "`x @ W` contracts them")
    assert pair.verdict is Verdict.EQUAL
    assert facts.resolve(unseen) == D
    assert unseen.symbol is not None
    assert facts.reason(unseen.symbol) == "`x @ W` contracts them"


def test_verdicts_of_a_contraction() -> None:
    cases = [
        (T, T, Verdict.EQUAL),
        (T, D, Verdict.UNKNOWN),
        (T, 2 * T, Verdict.DIFFERENT),
        (TABLE[0], TABLE[1], Verdict.DISTINCT),
        (None, T, Verdict.UNKNOWN),
        # Nothing is stretched here.
        (ONE, T + 1, Verdict.DIFFERENT),
    ]
    for left, right, verdict in cases:
        facts = Facts()
        assert contract(Axis(left), Axis(right), facts, "test").verdict is verdict


def test_sizes_that_a_product_needs_to_be_equal_are_so_from_then_on() -> None:
    facts = Facts()
    assert contract(Axis(T), Axis(D), facts, "`a @ b` works").verdict is Verdict.UNKNOWN
    assert facts.compare(T, D) is Verdict.EQUAL
    assert facts.compare(T, 2 * D) is Verdict.DIFFERENT
    assert "`a @ b` works" in {facts.reason(size.symbol) for size in (T, D)}


@given(st.lists(axes, max_size=3, unique=True), st.lists(axes, max_size=3, unique=True))
def test_no_two_free_axes_have_one_birth(left: list[Axis], right: list[Axis]) -> None:
    apart = tell_apart(left, right)
    tags = [axis.tag for axis in (*left, *apart) if axis.tag is not None]
    assert len(tags) == len(set(tags))
    for before, after in zip(right, apart, strict=True):
        assert before.size == after.size
        assert (before.tag is None) == (after.tag is None)
        if before.tag is not None and after.tag is not None:
            assert (before.tag.root, before.tag.index) == (after.tag.root, after.tag.index)


def test_query_and_key_time_of_self_attention_are_two() -> None:
    time = shape_of(T, D, root="x").lead[0]
    (key,) = tell_apart([time], [time])
    assert key.tag == Tag("x", 0, side=1)
    (again,) = tell_apart([time, key], [time])
    assert again.tag == Tag("x", 0, side=2)
