"""Calls that are spared in a large file give what calls on the same kinds of things gave."""

from attncheck.algebra.facts import Facts
from attncheck.algebra.shape import shape_of
from attncheck.algebra.size import const
from attncheck.tracer.ledger import FREE_STEPS, Ledger
from attncheck.values.tensor import Tensor
from attncheck.values.value import Const, Int, expanded

from .tracing import tracer_of

FACTS = Facts()


def a_function():
    tracer = tracer_of("def f(x):\n    return x\n")
    tracer.run_module()
    return tracer.functions[0]


def tensor(*sizes):
    return Tensor(shape_of(*sizes), "torch")


def a_ledger(function, *calls):
    ledger = Ledger(steps=FREE_STEPS)
    for number, (arguments, result) in enumerate(calls):
        ledger.note(function, f"root {number}", arguments, result, FACTS)
    return ledger


def rank(value):
    shape = expanded(value, FACTS)
    return None if shape is None else shape.rank


def test_as_many_axes_as_before():
    function = a_function()
    call = {"x": tensor(2, 3)}, tensor(2, 3, 1)
    spared = a_ledger(function, call, call).spared(function, "new", {"x": tensor(7, 8)}, FACTS)
    assert rank(spared) == 3
    assert all(size.number is None for size in spared.shape.sizes())


def test_other_kinds_are_run():
    function = a_function()
    call = {"x": tensor(2, 3), "axis": Int(const(1))}, tensor(2)
    ledger = a_ledger(function, call, call)
    for x, axis in (
        (tensor(2, 3, 4), Int(const(1))),
        (tensor(2, 3), Int(const(0))),
        (tensor(2, 3), Const(None)),
        (Tensor(None), Int(const(1))),
    ):
        assert ledger.spared(function, "new", {"x": x, "axis": axis}, FACTS) is None


def test_nothing_is_spared_at_first():
    function = a_function()
    call = {"x": tensor(2, 3)}, tensor(2, 3)
    arguments = {"x": tensor(4, 5)}
    assert a_ledger(function, call).spared(function, "new", arguments, FACTS) is None
    twice = a_ledger(function, call, call)
    assert twice.spared(function, "root 0", arguments, FACTS) is None
    twice.steps = FREE_STEPS - 1
    assert twice.spared(function, "new", arguments, FACTS) is None


def test_results_that_differ_say_nothing():
    function = a_function()
    arguments = {"x": tensor(2, 3)}
    ledger = a_ledger(function, (arguments, tensor(2)), (arguments, tensor(2, 3)))
    assert ledger.spared(function, "new", arguments, FACTS) is None
