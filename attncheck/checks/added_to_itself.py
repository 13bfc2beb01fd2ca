"""Squared lengths added to themselves where each is to meet each other: ``sq + sq - 2 * x @ x.T``.

``|a - b|**2`` is ``|a|**2 + |b|**2 - 2 a·b``: the one length goes with the rows of the products and
the other with the columns. A vector added to itself is twice the vector, and broadcasting gives it
to every row, so that what comes out is not even symmetric.
"""

from __future__ import annotations

from collections.abc import Iterator

from attncheck.checks.report import Culprit, Report, text_of
from attncheck.checks.sources import root_of
from attncheck.checks.view import View
from attncheck.graph import Operation
from attncheck.operators.events import MOVES, Contraction, Einsum, Elementwise, Reduction
from attncheck.record import record
from attncheck.rule import Rule
from attncheck.values.tensor import Tensor
from attncheck.values.value import as_tensor

_MOST_STEPS = 8
_SIGNS = frozenset({"+", "-"})


@record
class Doubled:
    """A sum of one tensor with itself, and where that is spread over a table of all pairs."""

    sum: Operation
    lengths: Tensor
    table: Operation


def added_to_themselves(rule: Rule, view: View) -> Iterator[Report]:
    """A report for each sum of lengths that should have been a table of sums."""
    for found in view.once(doubled_lengths):
        output = as_tensor(found.sum.output)
        sizes = view.sizes(output)
        if output is None or not sizes:
            continue
        one = view.quote(next(found.sum.tensors())[0].node)
        size = next(each for each in sizes if each is not None and each.number != 1)
        yield Report(
            rule,
            found.sum,
            found.sum.node,
            f"`{view.quote(found.sum.node)}` adds `{one}` to itself, {text_of(sizes)}, and"
            f" `{view.quote(found.table.node)}` ({view.place(found.table.node)}) gives the same to"
            f" every row of ({size}, {size}) pairs: |a - b|**2 wants the length of a in its row and"
            " that of b in its column; nothing raises",
            Culprit(found.sum.node, output),
            (size, size),
            "a table of sums, one length along each axis",
            local=True,
        )


def doubled_lengths(view: View) -> list[Doubled]:
    """The sums of a trace that add squared lengths to themselves, beside products of all pairs."""
    sums = {
        operation.number: lengths
        for operation in view.graph.operations
        if not operation.elsewhere
        for lengths in [_doubled(operation, view)]
        if lengths is not None
    }
    found: dict[object, Doubled] = {}
    for table in view.graph.operations if sums else ():
        if not isinstance(table.event, Elementwise) or table.event.symbol not in _SIGNS:
            continue
        tensors = [tensor for _, tensor in table.tensors()]
        for tensor, other in (tensors, tensors[::-1]) if len(tensors) == 2 else ():
            made = view.graph.maker(tensor)
            if made is None or made.number not in sums or made.node in found:
                continue
            if _is_of_all_pairs(sums[made.number], tensor, other, view):
                found[made.node] = Doubled(made, sums[made.number], table)
    return list(found.values())


def _doubled(operation: Operation, view: View) -> Tensor | None:
    """The vector that an operation adds to itself, if it sums over one axis of something."""
    event, pairs = operation.event, list(operation.tensors())
    if not isinstance(event, Elementwise) or event.symbol != "+" or len(pairs) != 2:
        return None
    (one, left), (other, right) = pairs
    if one.node is None or other.node is None or view.code(one.node) != view.code(other.node):
        return None
    if left.made_by != right.made_by and left.operation is None:
        return None
    made = _reduced(left, view)
    return None if made is None or _reduced(right, view) is not made else left


def _reduced(tensor: Tensor, view: View) -> Operation | None:
    """The sum over one axis that a tensor is, moved at most."""
    for _ in range(_MOST_STEPS):
        made = view.graph.maker(tensor)
        if made is None or made.source is None:
            return None
        if isinstance(made.event, Reduction):
            return made if len(made.event.axes or ()) == 1 else None
        if not isinstance(made.event, MOVES):
            return None
        tensor = made.source
    return None


def _is_of_all_pairs(lengths: Tensor, spread: Tensor, table: Tensor, view: View) -> bool:
    """Whether a table has the products of all vectors with each other whose lengths these are."""
    reduced, product = _reduced(lengths, view), _product(table, view)
    whole, sizes = view.sizes(table), view.sizes(spread)
    if reduced is None or product is None or not whole or not sizes or len(whole) != 2:
        return False
    vectors = {root for _, tensor in product.tensors() for root in [_root(tensor, view)]}
    source = None if reduced.source is None else _root(reduced.source, view)
    square = whole[0] is not None and whole[0] == whole[1] and whole[0].number != 1
    lone = [each for each in sizes if each is None or each.number != 1]
    return square and lone == [whole[0]] and vectors == {source} and source is not None


def _product(tensor: Tensor, view: View) -> Operation | None:
    """The product that a table is, scaled at most."""
    for _ in range(_MOST_STEPS):
        made = view.graph.maker(tensor)
        if made is None or isinstance(made.event, Contraction | Einsum):
            return made
        tensors = [each for _, each in made.tensors()]
        if not isinstance(made.event, Elementwise) or len(tensors) != 1:
            return None
        tensor = tensors[0]
    return None


def _root(tensor: Tensor, view: View) -> int | str | None:
    """Where vectors come from, through moves, powers and factors: a maker, or an argument."""
    for _ in range(_MOST_STEPS):
        made = view.graph.maker(tensor)
        if made is None:
            return root_of(tensor) or None
        makers = {each for _, each in made.tensors()}
        plain = isinstance(made.event, Elementwise) and len(makers) == 1
        if not plain and not isinstance(made.event, MOVES):
            return made.number
        tensor = makers.pop() if plain else made.source or tensor
    return None
