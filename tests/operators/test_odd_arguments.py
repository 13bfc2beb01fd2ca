"""No operator fails on arguments that make no sense: programs pass None, and much is not known."""

import random

import pytest

from attncheck.algebra.facts import Facts
from attncheck.algebra.shape import Axis, Shape, open_shape
from attncheck.algebra.size import Symbol, const, of
from attncheck.frameworks import lookup
from attncheck.operators.call import Call
from attncheck.operators.events import Outcome
from attncheck.values.tensor import Tensor
from attncheck.values.value import ELLIPSIS, NONE, UNKNOWN, Const, Int, Mapping, Sequence

ODD = [
    *(NONE, UNKNOWN, ELLIPSIS, Const("a"), Const(0.5), Mapping((), open=True)),
    *(Int(const(3)), Int(const(-1)), Int(None)),
    *(Sequence(()), Sequence(None), Sequence((NONE, Int(const(2))))),
    *(Sequence((Tensor(None), Tensor(Shape(())))), Tensor(Shape(())), Tensor(open_shape("x"))),
    Tensor(Shape((Axis(None),))),
    Tensor(Shape((Axis(of(Symbol("n"))), Axis(of(Symbol("m")))))),
]
SPELLINGS = lookup.spellings()


def calls(spelling, count):
    """Calls of a function with all arguments alike, and with some of them, each another."""
    parameters = [each for each in spelling.parameters if not each.collects_keywords]
    rng = random.Random(spelling.path)
    ways = [dict.fromkeys((each.neutral for each in parameters), odd) for odd in ODD]
    for _ in range(count):
        given = [each for each in parameters if each.required or rng.random() < 0.8]
        ways.append({each.neutral: rng.choice(ODD) for each in given})
    lists = [each.neutral for each in parameters if each.collects]
    for way in ways:
        way |= {name: Sequence((way[name], rng.choice(ODD))) for name in lists if name in way}
        yield Call(Facts(), spelling.fixed | way, spelling.library, spelling.path, serial=1)


@pytest.mark.parametrize("library", sorted({each.library for each in SPELLINGS.values()}))
def test_operators_answer_whatever_they_are_given(library):
    for spelling in SPELLINGS.values():
        if spelling.library == library:
            for call in calls(spelling, 25):
                assert isinstance(spelling.operator(call), Outcome), (spelling.path, call.arguments)
