"""Records are frozen dataclasses to all who use them."""

import dataclasses
import pickle

import pytest

from attncheck.record import record, replace


@record
class Pair:
    left: int
    right: tuple[int, ...] = ()
    made: str = dataclasses.field(default="", compare=False)


@record
class Nothing:
    pass


@dataclasses.dataclass(frozen=True)
class Plain:
    left: int


def test_fields_and_defaults():
    assert [each.name for each in dataclasses.fields(Pair)] == ["left", "right", "made"]
    assert (Pair(1).left, Pair(1).right, Pair(1, made="x").made) == (1, (), "x")
    assert not hasattr(Pair(1), "__dict__")


def test_equality_and_hash_leave_out_what_does_not_compare():
    assert Pair(1, (2,), "a") == Pair(1, (2,), "b")
    assert hash(Pair(1, (2,), "a")) == hash(Pair(1, (2,), "b"))
    assert Pair(1) != Pair(2)
    assert Nothing() == Nothing()


@pytest.mark.parametrize("changes", [{}, {"left": 3}, {"right": (1,), "made": "b"}])
def test_replace_is_that_of_dataclasses(changes):
    pair = Pair(1, (2,), "a")
    changed = replace(pair, **changes)
    expected = dataclasses.replace(pair, **changes)
    assert (changed, changed.made) == (expected, expected.made)
    assert (pair.left, pair.right, pair.made) == (1, (2,), "a")
    assert changed is not pair


def test_replace_of_other_dataclasses():
    assert replace(Plain(1), left=2) == Plain(2)
    assert replace(Nothing()) == Nothing()


@pytest.mark.parametrize("kind", [Pair, Plain])
def test_replace_refuses_what_is_no_field(kind):
    with pytest.raises(TypeError, match="other"):
        replace(kind(1), other=2)


def test_pickle_and_repr():
    assert pickle.loads(pickle.dumps(Pair(1, (2,), "a"))).made == "a"
    assert repr(Pair(1, (2,), "a")) == "Pair(left=1, right=(2,), made='a')"
