"""Whether a reshape that does not add up splits features into heads, or merges heads.

A reshape to another number of elements is told as a mistake about heads where it takes one axis of
features apart into a number of heads and a size for each, or puts these together again. What is
which, the dimension table's names tell, or the code's own ``//``.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from attncheck.algebra.facts import Verdict
from attncheck.algebra.shape import Axis
from attncheck.algebra.size import Quotient, Size
from attncheck.checks.report import Sizes
from attncheck.checks.view import View
from attncheck.graph import Operation
from attncheck.operators.events import Fault, Reshaping
from attncheck.record import record
from attncheck.table import table_symbol

if TYPE_CHECKING:
    import libcst as cst

_HEADS = frozenset({"n_heads"})
_PER_HEAD = frozenset({"d_k", "d_v"})


@record
class Split:
    """A number of heads and a size for each that are not the width they are split from.

    ``first`` is the place of the two among the target's axes (of a split) or the input's (of a
    merge); ``is_merge`` says which.
    """

    width: Size
    heads: Size
    each: Size
    first: int
    is_merge: bool
    before: Sizes
    after: Sizes


def head_split(operation: Operation, view: View) -> Split | None:
    """How a reshape fails to split or merge heads, or None if it is about something else."""
    event, clash = operation.event, operation.clash
    tensors = list(operation.tensors())
    if not isinstance(event, Reshaping) or clash is None or not tensors:
        return None
    if clash.fault is not Fault.COUNT and clash.fault is not Fault.SPLIT:
        return None
    before = view.sizes(tensors[0][1])
    after = tuple(axis.size for axis in event.outcome.shape.axes)
    if before is None:
        return None
    if clash.fault is Fault.SPLIT:
        before = (clash.left,)
    front = _shared(view, before, after)
    old, new = before[front:], after[front:]
    if len(new) == len(old) + 1 and new[0] is None:
        # What is inferred takes what is left: ``view(B, -1, n_heads, d_k)``.
        front, old, new = front + 1, old[1:], new[1:]
    if len(old) == 1 and len(new) == 2:
        return _of(view, operation, old[0], new, front, before, after)
    if len(old) == 2 and len(new) == 1:
        return _of(view, operation, new[0], old, front, before, after)
    return None


def _shared(view: View, before: Sizes, after: Sizes) -> int:
    """How many axes from the front on stay as they are; the last ones of the shorter are left."""
    count = 0
    for left, right in zip(before[:-1], after[:-1], strict=False):
        if left is None or right is None or view.facts.compare(left, right) is not Verdict.EQUAL:
            break
        count += 1
    return count


def _of(
    view: View,
    operation: Operation,
    width: Size | None,
    pair: Sizes,
    first: int,
    before: Sizes,
    after: Sizes,
) -> Split | None:
    heads, each = pair
    if width is None or heads is None or each is None:
        return None
    is_merge = len(before) > len(after)
    written = [] if is_merge else list(_written(operation))[-2:]
    names = [_last_name(node) for node in written] if len(written) == 2 else ["", ""]
    if not (_counts_heads(heads, names[0]) or _is_per_head(each, names[1])):
        return None
    return Split(width, heads, each, first, is_merge, before, after)


def _counts_heads(size: Size, name: str) -> bool:
    symbol = size.symbol
    named = {table_symbol(name), None if symbol is None else table_symbol(symbol.name)}
    return bool(named & _HEADS)


def _is_per_head(size: Size, name: str) -> bool:
    """Whether a size is one head's: by its name, or a width that the code has divided."""
    symbol = size.symbol
    named = {table_symbol(name), None if symbol is None else table_symbol(symbol.name)}
    divided = any(type(atom) is Quotient for atom in size.atoms())
    return bool(named & _PER_HEAD) or divided


def counts_heads(axis: Axis) -> bool:
    """Whether an axis has as many elements as there are heads, by the name of its size."""
    symbol = None if axis.size is None else axis.size.symbol
    return symbol is not None and table_symbol(symbol.name) in _HEADS


def sizes_written(operation: Operation) -> list[cst.BaseExpression]:
    """The sizes of a reshape as they are written, one by one or as a tuple."""
    return list(_written(operation))


def _written(operation: Operation) -> Iterator[cst.BaseExpression]:
    import libcst as cst

    node = operation.node
    if not isinstance(node, cst.Call):
        return
    arguments = [argument.value for argument in node.args if argument.keyword is None]
    if arguments and isinstance(arguments[-1], cst.Tuple | cst.List):
        arguments = [element.value for element in arguments[-1].elements]
    yield from arguments


def _last_name(node: cst.BaseExpression) -> str:
    """The name that an expression ends in: ``n_heads`` of ``self.n_heads``."""
    import libcst as cst

    if isinstance(node, cst.Attribute):
        return node.attr.value
    return node.value if isinstance(node, cst.Name) else ""
