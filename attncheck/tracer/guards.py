"""Guards that no sizes pass: ``if n_heads * d_k != d_model: raise`` of sizes that never are that.

A guard says what the code needs. Where it could only hold with a single head, or not at all, what
was computed before it is wrong, and nothing behind it ever runs.
"""

from __future__ import annotations

import libcst as cst

from attncheck.algebra.bounds import at_least
from attncheck.algebra.facts import Facts
from attncheck.algebra.quotients import in_other_parts
from attncheck.algebra.size import ONE, Size, Symbol
from attncheck.graph import Operation
from attncheck.operators.events import Clash, Fault
from attncheck.tracer.machine import Machine
from attncheck.values.value import NONE, as_size

_ARITHMETIC = (cst.Name, cst.Attribute, cst.Integer)
_GUARD = "guard"


def guarded_if(machine: Machine, node: cst.If) -> None:
    """Record an ``if`` that always raises, and what one that raises says of flags and sizes."""
    body = node.body.body
    last = body[-1] if body else None
    if type(last) is cst.SimpleStatementLine:
        last = last.body[-1]
    if type(last) is cst.Raise and node.orelse is None:
        _record(machine, node.test, cst.NotEqual)
        _exclude(machine, node.test, holds=False)


def guarded_assert(machine: Machine, node: cst.Assert) -> None:
    """Record an ``assert`` that never holds, and what one says of flags and sizes."""
    _record(machine, node.test, cst.Equal)
    _exclude(machine, node.test, holds=True)


def _exclude(machine: Machine, test: cst.BaseExpression, *, holds: bool) -> None:
    """Note what ``if fused and groups > 1: raise`` says: under ``if fused:`` groups is 1.

    Only where the guard is certain to run: what it says holds from there on.
    """
    test, holds = _without_not(test, holds)
    if type(test) is not cst.BooleanOperation or machine.supposing:
        return
    # That not both are true, or that one of them is, says what the one is without the other.
    if (type(test.operator) is cst.And) is holds:
        return
    for left, right in ((test.left, test.right), (test.right, test.left)):
        flag, sign = _without_not(left, not holds)
        equal = equal_sizes(machine, right, holds)
        if equal is not None and type(flag) in (cst.Name, cst.Attribute):
            machine.implied.append((machine.evaluate(flag), sign, *equal))


def _without_not(test: cst.BaseExpression, holds: bool) -> tuple[cst.BaseExpression, bool]:
    """What is negated, and whether that holds."""
    while type(test) is cst.UnaryOperation and type(test.operator) is cst.Not:
        test, holds = test.expression, not holds
    return test, holds


def equal_sizes(
    machine: Machine, test: cst.BaseExpression, holds: bool
) -> tuple[Size, Size] | None:
    """The two sizes that are one if a comparison holds (or fails), or None.

    What is not more than 1 is 1.
    """
    if type(test) is not cst.Comparison or len(test.comparisons) != 1:
        return None
    target = test.comparisons[0]
    if not _is_plain(test.left) or not _is_plain(target.comparator):
        return None
    left, right = as_size(machine.evaluate(test.left)), as_size(machine.evaluate(target.comparator))
    least = _EQUAL_IF.get((type(target.operator), holds))
    if left is None or right is None or least is None:
        return None
    if least == _ANY:
        return left, right
    single = right.number == least and at_least(left, ONE)
    return (left, ONE) if single else None


#: Comparisons, each with its truth, of sizes that are one then; or with the number on the right of
#: which the left side is 1.
_ANY = 0
_EQUAL_IF: dict[tuple[type, bool], int] = {
    (cst.Equal, True): _ANY,
    (cst.NotEqual, False): _ANY,
    (cst.GreaterThan, False): 1,
    (cst.LessThanEqual, True): 1,
    (cst.GreaterThanEqual, False): 2,
    (cst.LessThan, True): 2,
}


def _record(machine: Machine, test: cst.BaseExpression, operator: type) -> None:
    if type(test) is not cst.Comparison or len(test.comparisons) != 1:
        return
    target = test.comparisons[0]
    if type(target.operator) is not operator:
        return
    if not all(map(_is_plain, (test.left, target.comparator))):
        return
    left = as_size(machine.evaluate(test.left))
    right = as_size(machine.evaluate(target.comparator))
    if left is None or right is None:
        return
    left, right = machine.facts.resolve(left), machine.facts.resolve(right)
    only = only_while(left, right, machine.facts)
    if only is None:
        return
    text = f"needs {left} to be {right}{only}"
    machine.record(
        Operation(
            machine.graph.next_number,
            _GUARD,
            _GUARD,
            (),
            NONE,
            test,
            machine.statement,
            machine.frame.place,
            None,
            Clash(Fault.GUARD, text, 0, left, right),
            machine.branches,
        )
    )


def only_while(left: Size, right: Size, facts: Facts) -> str | None:
    """When two sizes are equal that hardly ever are, in words; None for sizes that may well be.

    Sizes of which one is the other times a name are equal where that is 1.
    """
    for size, other in ((left, right), (right, left)):
        if other.number is not None:
            continue  # a size that has to be 1 may be just that
        times = size.divided_by(other)
        symbol = None if times is None else times.symbol
        if type(symbol) is Symbol and not symbol.flexible and symbol.value is None:
            return f", which it is only while {symbol.name} == 1"
    if in_other_parts(left - right) and facts.meet(left, right).clashes:
        return ", which it never is"
    return None


def _is_plain(node: cst.CSTNode) -> bool:
    """Whether an expression is arithmetic on names: evaluating it again does nothing else."""
    if isinstance(node, cst.BinaryOperation):
        return _is_plain(node.left) and _is_plain(node.right)
    if type(node) is cst.Attribute:
        return _is_plain(node.value)
    return type(node) in _ARITHMETIC
