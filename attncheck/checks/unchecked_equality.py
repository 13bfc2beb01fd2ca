"""Sizes that have to be equal for the code to work, where nothing says or checks that they are.

Dot attention needs ``d_s == d_h`` (Luong et al. 2015, section 3.1: the score "dot" is only defined
for states of one size). A class may need two arguments of its constructor to be one size.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from attncheck.algebra.facts import Verdict
from attncheck.algebra.size import Size
from attncheck.checks.constructed import MAKING
from attncheck.checks.forced import may_overlap
from attncheck.checks.report import Culprit, Report
from attncheck.checks.view import View
from attncheck.graph import Operation
from attncheck.operators.events import Contraction
from attncheck.rule import Rule
from attncheck.values.value import UNKNOWN, Class, Function, as_integer

if TYPE_CHECKING:
    import libcst as cst

RULE = Rule(
    "ATN602",
    "unchecked-equality",
    "right only if two independent sizes are equal, and nothing checks it",
    "note",
    fix="none",
)
ON = (Contraction,)


def check(operation: Operation, view: View) -> Iterator[Report]:
    """Note a product of two states whose sizes have different names and are not compared."""
    event = operation.event
    tensors = list(operation.tensors())
    if not isinstance(event, Contraction) or len(tensors) != 2 or operation.clash is not None:
        return
    for pair in event.pairs:
        if pair.left.size is None or pair.right.size is None or not view.facts.open_pair:
            continue
        names = {str(pair.left.size), str(pair.right.size)}
        if names != view.facts.open_pair:
            continue
        if view.facts.compare(pair.left.size, pair.right.size) is Verdict.EQUAL:
            continue
        if view.coincide(pair.left.size, pair.right.size):
            continue
        operand, tensor = tensors[1]
        if operand.node is None:
            return
        yield Report(
            RULE,
            operation,
            operation.node,
            f"`{view.quote(operation.node)}` is right only if {pair.left.size} =="
            f" {pair.right.size}, which nothing checks",
            Culprit(operand.node, tensor),
            view.sizes(tensor),
            "dot scores are defined for a query and keys of one size",
        )
        return


# -- arguments of a constructor --------------------------------------------------------------------


@dataclass(slots=True)
class _Need:
    """Two sizes that a class needs to be equal, and the products that need it."""

    left: Size
    right: Size
    places: list[Operation]


def check_trace(view: View) -> Iterator[Report]:
    """Note, once a class, the arguments of its constructor that products need to be equal."""
    function = view.traced.function
    if function is None or function.owner is None or function.name in MAKING:
        return
    arguments = _arguments(function.owner)
    needs = _needs(view, arguments)
    # Where things stand is costly to find out, and not asked before there is something to tell.
    if not needs or not all(map(view.source.has, arguments.values())):
        return
    first = needs[0]
    nodes = [
        arguments[symbol.name] for size in (first.left, first.right) for symbol in size.symbols()
    ]
    node = max(nodes, key=view.source.span)
    equal = " and ".join(f"{need.left} == {need.right}" for need in needs)
    places = ", ".join(
        f"`{view.quote(place.node)}`, line {view.line(place.node)}"
        for need in needs
        for place in need.places
    )
    yield Report(
        RULE,
        first.places[0],
        node,
        f"`{function.owner.name}` is right only if {equal}, which nothing checks: {places}",
        derivation=f"say so in `__init__`, by `assert {equal}` or by one argument for both",
        function=f"{function.owner.qualified}.__init__",
    )


def _arguments(owner: Class) -> dict[str, cst.CSTNode]:
    """The arguments of the constructor of a class, where they are declared."""
    maker = owner.lookup("__init__")
    if type(maker) is not Function:
        return {}
    parameters = maker.node.params
    listed = (*parameters.posonly_params, *parameters.params, *parameters.kwonly_params)
    if maker.owner is not owner:
        return {}
    return {parameter.name.value: parameter.name for parameter in listed}


def _needs(view: View, arguments: dict[str, cst.CSTNode]) -> list[_Need]:
    """The pairs of sizes, made of constructor arguments alone, that products need to be equal."""
    needs: list[_Need] = []
    for operation in view.graph.operations:
        event = operation.event
        if not isinstance(event, Contraction) or operation.clash or operation.place.calls:
            continue
        if any(may_overlap(tensor.shape) for _, tensor in operation.tensors()):
            continue
        for pair in event.pairs:
            left, right = pair.left.size, pair.right.size
            if left is None or right is None or pair.verdict is not Verdict.UNKNOWN:
                continue
            left, right = _without_shared(left, right)
            # Of one argument alone, ``2 * (d // 2) == d`` only says that it is even.
            told = _names(left) != _names(right) and left.terms and right.terms
            if told and _is_argued(left, arguments) and _is_argued(right, arguments):
                _add(needs, left, right, operation)
    return [need for need in needs if not _equal_by_default(view, need)]


def _names(size: Size) -> set[str]:
    return {symbol.name for symbol in size.symbols()}


def _without_shared(left: Size, right: Size) -> tuple[Size, Size]:
    """Two sizes without the terms that both have: ``a + b == a + c`` is ``b == c``."""
    difference = (left - right).primitive()
    more = Size({term: n for term, n in difference.terms.items() if n > 0})
    less = Size({term: -n for term, n in difference.terms.items() if n < 0})
    return more, less


def _is_argued(size: Size, arguments: dict[str, cst.CSTNode]) -> bool:
    """Whether a size is made of arguments of the constructor."""
    symbols = list(size.symbols())
    return bool(symbols) and all(
        symbol.name in arguments and not symbol.flexible and not symbol.found for symbol in symbols
    )


def _add(needs: list[_Need], left: Size, right: Size, operation: Operation) -> None:
    for need in needs:
        if {need.left, need.right} == {left, right}:
            if all(operation.node is not place.node for place in need.places):
                need.places.append(operation)
            return
    needs.append(_Need(left, right, [operation]))


def _equal_by_default(view: View, need: _Need) -> bool:
    """Whether the default values of the arguments make the two sizes equal."""
    function = view.traced.function
    assert function is not None and function.owner is not None
    maker = function.owner.lookup("__init__")
    assert type(maker) is Function
    numbers = {
        symbol: number
        for size in (need.left, need.right)
        for symbol in size.symbols()
        if (number := as_integer(maker.defaults.get(symbol.name, UNKNOWN))) is not None
    }
    left, right = need.left.evaluate(numbers), need.right.evaluate(numbers)
    return left is not None and left == right
