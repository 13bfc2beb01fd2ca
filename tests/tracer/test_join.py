"""The laws of the join: of one value it is that value, the order of sides does not matter, and it
claims nothing that both sides do not claim."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from attncheck.algebra.powers import Powers
from attncheck.algebra.shape import Axis, Shape, Tag
from attncheck.algebra.size import Symbol, const, of
from attncheck.values.join import element_of, join, join_all
from attncheck.values.tensor import Evidence, Tensor
from attncheck.values.value import (
    ELLIPSIS,
    FALSE,
    NONE,
    TRUE,
    UNKNOWN,
    Choice,
    Const,
    Int,
    Library,
    Mapping,
    Scalar,
    Sequence,
)

SIZES = [None, const(1), const(3), of(Symbol("B")), of(Symbol("T")), of(Symbol("d")) * 2]
sizes = st.sampled_from(SIZES)
CHOSEN = Choice((Sequence((TRUE,)), Sequence((FALSE, NONE))))
ROOT = Powers(((SIZES[3], -0.5),))
powers = st.sampled_from([None, Powers(), ROOT, Powers(((SIZES[4], 0.5),))])
axes = st.builds(
    Axis,
    sizes,
    st.sampled_from([None, Tag("x", 0), Tag("x", 1), Tag("x", 0, 1)]),
    st.frozensets(st.integers(0, 2), max_size=2),
)
shapes = st.none() | st.builds(Shape, st.lists(axes, max_size=3).map(tuple))
tensors = st.builds(
    Tensor,
    shapes,
    st.sampled_from([None, "numpy", "torch"]),
    st.sampled_from([None, "float", "bool"]),
    st.sampled_from([None, "query", "key"]),
    st.sampled_from(list(Evidence)),
    operation=st.sampled_from([None, 1, 2]),
    optional=st.booleans(),
)
leaves = st.one_of(
    tensors,
    st.builds(Int, sizes),
    st.sampled_from([NONE, TRUE, FALSE, ELLIPSIS, UNKNOWN, Const(1.5), Const("x")]),
    st.builds(Scalar, st.sampled_from(["float", "str"]), powers),
)
values = st.recursive(
    leaves,
    lambda inner: st.one_of(
        st.builds(Sequence, st.lists(inner, max_size=3).map(tuple), st.booleans()),
        st.builds(Sequence, st.none(), st.booleans(), inner, sizes),
        st.builds(
            Mapping,
            st.dictionaries(st.sampled_from("ab"), inner).map(lambda d: tuple(sorted(d.items()))),
            st.booleans(),
        ),
    ),
    max_leaves=4,
)


def claims(value, wide):
    """Whether `wide` claims nothing of a value that `value` does not fulfil."""
    if wide in (UNKNOWN, value):
        return True
    if type(wide) is Tensor and value == NONE:
        return wide.optional
    if type(wide) is Choice:
        options = value.options if type(value) is Choice else (value,)
        return all(any(claims(each, option) for option in wide.options) for each in options)
    if wide == Scalar("number") and type(value) in (Int, Const, Scalar):
        return True
    if type(wide) is not type(value):
        return type(wide) is Scalar and type(value) is Const
    return CLAIMS[type(wide)](value, wide)


def _tensor(value, wide):
    return (
        (wide.shape is None or _shape(value.shape, wide.shape))
        and all(
            getattr(wide, name) in (None, getattr(value, name))
            for name in ("library", "dtype", "role", "decided", "operation")
        )
        and wide.evidence >= value.evidence
        and wide.optional >= value.optional
        and wide.made_by >= value.made_by
    )


def _shape(shape, wide):
    return shape is not None and shape.rank == wide.rank and all(map(_axis, shape.lead, wide.lead))


def _axis(axis, wide):
    return (
        wide.size in (None, axis.size)
        and wide.tag in (None, axis.tag)
        and wide.normalised <= axis.normalised
        and wide.parts in ((), axis.parts)
    )


def _sequence(value, wide):
    if wide.items is not None:
        return (
            value.items is not None
            and len(value.items) == len(wide.items)
            and all(map(claims, value.items, wide.items))
        )
    if wide.length is not None and wide.length != (
        value.length if value.items is None else const(len(value.items))
    ):
        return False
    return all(claims(item, wide.element) for item in value.items or ()) and (
        value.items is not None or claims(value.element, wide.element)
    )


def _mapping(value, wide):
    return wide.open and all(
        claims(found, item) for key, item in wide.items if (found := value.get(key)) is not None
    )


CLAIMS = {
    Tensor: _tensor,
    Int: lambda value, wide: wide.size is None,
    # What is perhaps so is no claim.
    Scalar: lambda value, wide: (
        wide.kind == value.kind and (wide.perhaps or wide.powers in (None, value.powers))
    ),
    Sequence: _sequence,
    Mapping: _mapping,
    Const: lambda value, wide: False,
}


@given(values)
def test_idempotent(value):
    assert join(value, value) == value


@given(values, values)
def test_commutative_but_for_the_kind_of_container(left, right):
    one, other = join(left, right), join(right, left)
    assert claims(one, other) or type(one) is Sequence
    assert type(one) is type(other)


@given(values, values)
def test_claims_no_more_than_either_side(left, right):
    joined = join(left, right)
    assert claims(left, joined)
    assert claims(right, joined)


@given(values, values)
def test_once_joined_a_side_adds_nothing(left, right):
    joined = join(left, right)
    assert claims(joined, join(joined, right))


@given(values)
def test_with_unknown_nothing_is_known(value):
    if value != NONE:
        assert join(value, UNKNOWN) == UNKNOWN


@pytest.mark.parametrize(
    "left, right, expected",
    [
        (Int(const(2)), Int(const(2)), Int(const(2))),
        (Int(const(2)), Int(const(3)), Int(None)),
        (Const(1.5), Const(2.5), Scalar("float")),
        (Const("a"), Const("b"), Choice((Const("a"), Const("b")))),
        (Choice((Const("a"), Const("b"))), Const("a"), Choice((Const("a"), Const("b")))),
        (Choice(tuple(map(Const, "abcd"))), Const("e"), Scalar("str")),
        (Choice((Const("a"), Const("b"))), Const(1.5), UNKNOWN),
        (Const("a"), Const(1.5), UNKNOWN),
        (NONE, Tensor(None), Tensor(None, optional=True)),
        (NONE, TRUE, Choice((NONE, TRUE))),
        (NONE, Library("torch.tanh"), Choice((NONE, Library("torch.tanh")))),
        (FALSE, NONE, Choice((FALSE, NONE))),
        (Choice((NONE, TRUE)), FALSE, Choice((NONE, Scalar("bool")))),
        (Choice((NONE, Const("a"))), Const("b"), Choice((NONE, Const("a"), Const("b")))),
        (NONE, Int(const(2)), Choice((NONE, Int(const(2))))),
        (Choice((NONE, Int(const(2)))), Int(const(3)), Choice((NONE, Int(None)))),
        (Library("torch.tanh"), NONE, Choice((Library("torch.tanh"), NONE))),
        (Library("torch.tanh"), Int(const(2)), UNKNOWN),
        (Scalar("float", ROOT), Scalar("float"), Scalar("float", ROOT, perhaps=True)),
        (Scalar("float", ROOT), Const(2.0), Scalar("float", ROOT, perhaps=True)),
        (Scalar("float", ROOT), Scalar("float", Powers()), Scalar("float")),
        (Scalar("float", ROOT), Scalar("str"), UNKNOWN),
        (
            Tensor(None, operation=1),
            Tensor(None, operation=2),
            Tensor(None, either=(1, 2)),
        ),
        (
            Tensor(None, either=(1, 2)),
            Tensor(None, operation=2),
            Tensor(None, either=(1, 2)),
        ),
        (Sequence((TRUE,)), Sequence((FALSE, NONE)), CHOSEN),
        (CHOSEN, Sequence((FALSE,)), Choice((Sequence((Scalar("bool"),)), CHOSEN.options[1]))),
        (CHOSEN, Sequence((TRUE,), mutable=True), Sequence(None, True, UNKNOWN)),
        (Sequence(()), Sequence((TRUE,)), Choice((Sequence(()), Sequence((TRUE,))))),
        (Sequence((), True), Sequence((TRUE,)), Sequence(None, True, TRUE)),
        (Mapping((("a", TRUE),)), Mapping((("a", FALSE), ("b", TRUE))), None),
    ],
)
def test_examples(left, right, expected):
    expected = Mapping((("a", Scalar("bool")),), open=True) if expected is None else expected
    assert join(left, right) == expected


def test_of_many_and_of_none():
    assert join_all([]) == NONE
    assert join_all([TRUE]) == TRUE
    assert join_all([Int(const(1)), Int(const(1)), Int(const(2))]) == Int(None)
    assert element_of(Sequence(())) == UNKNOWN
    assert element_of(Sequence(None, element=TRUE)) == TRUE
