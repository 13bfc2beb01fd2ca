"""A call on the same arguments as one before gives the same shapes, and says nothing of births."""

import pytest

from attncheck.algebra.facts import Facts
from attncheck.algebra.shape import Axis, Shape, Tag, shape_of
from attncheck.algebra.size import const
from attncheck.tracer.repeats import FREE_CALLS, Repeats
from attncheck.values.tensor import Tensor
from attncheck.values.value import Const, Int, Mapping, Sequence, expanded

from .tracing import tracer_of

FACTS = Facts()
#: As many calls as are run before any is compared, each on another shape.
MANY = "".join(f"    twice(torch.zeros({number}, 1))\n" for number in range(1, FREE_CALLS + 1))
CODE = f"""\
import torch


def twice(x):
    return torch.cat([x, x], dim=-1)


class Scale:
    def __init__(self):
        self.width = torch.zeros(4)

    def forward(self, x):
        return torch.outer(x, self.width)


def f():
{MANY}\
    scale = Scale()
"""


def a_function():
    tracer = tracer_of("def f(x):\n    return x\n")
    tracer.run_module()
    return tracer.functions[0]


def tensor(*sizes, **more):
    return Tensor(shape_of(*sizes), "torch", **more)


def given(before, after, result, changes=(0, 0, 0)):
    """What a call on `after` is given once one on `before` gave `result`."""
    function, repeats = a_function(), Repeats(calls=FREE_CALLS)
    first = repeats.begin(function, {"x": before}, FACTS, changes[0])
    repeats.note(first, result, changes[1])
    second = repeats.begin(function, {"x": after}, FACTS, changes[2])
    return repeats.given(second)


def test_the_same_shapes():
    found = given(tensor(2, 3), tensor(2, 3), tensor(2, 6))
    assert expanded(found, FACTS).sizes() == (const(2), const(6))


@pytest.mark.parametrize(
    "other",
    [
        tensor(3, 3),
        tensor(2, 3, 1),
        tensor(2, 3, dtype="bool"),
        tensor(2, 3, role="query"),
        Sequence((tensor(2, 3),)),
        Const(None),
    ],
)
def test_other_arguments_are_another_call(other):
    assert given(tensor(2, 3), other, tensor(2, 6)) is None


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (Int(const(2)), Int(const(3))),
        (Const(True), Const(1)),
        (Mapping((("a", Const(1)),)), Mapping((("b", Const(1)),))),
        (Sequence((Const(1),)), Sequence((Const(1),), mutable=True)),
    ],
)
def test_values_that_are_no_tensors_count_too(before, after):
    assert given(before, before, tensor(1)) is not None
    assert given(before, after, tensor(1)) is None


def test_a_call_that_sets_an_attribute_is_run_again():
    assert given(tensor(2), tensor(2), tensor(2), (0, 1, 1)) is None


def test_a_call_after_an_attribute_was_set_is_run_again():
    assert given(tensor(2), tensor(2), tensor(2), (0, 0, 1)) is None


def test_nothing_is_said_of_where_a_result_comes_from():
    axes = Axis(const(2), Tag("x", 0), parts=(Axis(const(2), Tag("x", 1)),)), Axis(const(3))
    result = Tensor(Shape(axes), "torch", operation=7)
    found = given(tensor(2), tensor(2), Sequence((result,))).items[0]
    assert (found.operation, found.either) == (None, ())
    assert [axis.tag for axis in (*found.shape.lead, *found.shape.lead[0].parts)] == [None] * 3
    assert found.shape.sizes() == result.shape.sizes()


@pytest.mark.parametrize(
    ("lines", "sizes"),
    [
        (["return twice(torch.zeros(2, 1))"], "(2, 2)"),
        (["return twice(torch.zeros(2, 5))"], "(2, 10)"),
        (["x = torch.zeros(3)", "scale.forward(x)", "return scale.forward(x)"], "(3, 4)"),
        (
            [
                "x = torch.zeros(3)",
                "scale.forward(x)",
                "scale.width = torch.zeros(9)",
                "return scale.forward(x)",
            ],
            "(3, 9)",
        ),
    ],
)
def test_in_a_long_trace(lines, sizes):
    tracer = tracer_of(CODE + "".join(f"    {line}\n" for line in lines))
    tracer.run_module()
    (function,) = (each for each in tracer.functions if each.qualified == "f")
    traced = tracer.run_function(function)
    value = next(site.value for site in reversed(traced.sites) if site.name == "return")
    assert str(expanded(value, traced.facts)) == sizes


def test_the_second_of_two_equal_calls_is_not_run():
    call = "twice(torch.zeros(2, 5))"
    tracer = tracer_of(f"{CODE}    {call}\n    return {call}\n")
    tracer.run_module()
    (function,) = (each for each in tracer.functions if each.qualified == "f")
    joined = [
        each
        for each in tracer.run_function(function).graph.operations
        if each.kind == "concatenate"
    ]
    assert len(joined) == FREE_CALLS + 1
