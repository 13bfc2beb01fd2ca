"""Queries and keys lined up with each other, where every query is to meet every key.

Additive attention scores all pairs: ``(B, T_dec, 1, d_attn) + (B, 1, T_enc, d_attn)`` (Bahdanau et
al. 2015, appendix A.1.2, for all steps at once).
"""

from __future__ import annotations

from attncheck.algebra.size import ONE, Size
from attncheck.checks.report import Sizes
from attncheck.checks.view import View
from attncheck.graph import Operation
from attncheck.operators.events import Elementwise, Fault
from attncheck.record import record
from attncheck.table import table_symbol


@record
class Crossed:
    """Which operand (0 or 1) has the queries, the axis of either's positions, and the shapes.

    ``query`` and ``key`` are the operands' sizes with the axes of 1 that let all pairs meet.
    """

    queries: int
    axis: int
    query: Sizes
    key: Sizes


def crossed(operation: Operation, view: View) -> Crossed | None:
    """How an elementwise operation lines up queries with keys, or None if it does not."""
    clash, event = operation.clash, operation.event
    if clash is None or clash.fault is not Fault.BROADCAST or not isinstance(event, Elementwise):
        return None
    sizes = [view.sizes(tensor) for _, tensor in operation.tensors()]
    if len(sizes) != 2 or sizes[0] is None or sizes[1] is None or len(sizes[0]) != len(sizes[1]):
        return None
    unlike = [i for i, pair in enumerate(zip(*sizes, strict=True)) if not view.equal(*pair)]
    if len(unlike) != 1 or unlike[0] == len(sizes[0]) - 1:
        return None
    (axis,) = unlike
    names = [_name(each[axis]) for each in sizes if each is not None]
    if sorted(names) != ["T_dec", "T_enc"]:
        return None
    queries = names.index("T_dec")
    query, key = sizes[queries], sizes[1 - queries]
    assert query is not None
    assert key is not None
    return Crossed(
        queries,
        axis,
        (*query[: axis + 1], ONE, *query[axis + 1 :]),
        (*key[:axis], ONE, *key[axis:]),
    )


def _name(size: Size | None) -> str:
    symbol = None if size is None else size.symbol
    return "" if symbol is None else table_symbol(symbol.name) or ""
