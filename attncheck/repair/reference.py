"""The assert for a mistake that no shape shows: the value is that of the corrected expression.

Only where that can be computed again: from names that the statement leaves as they are, by
operations that give the same each time.
"""

from __future__ import annotations

import libcst as cst

from attncheck.graph import Operation
from attncheck.operators.events import (
    MOVES,
    Contraction,
    Einsum,
    Elementwise,
    Event,
    Expansion,
    Reduction,
    Selection,
    Softmax,
    Triangle,
)
from attncheck.repair.wording import array_module
from attncheck.retracing import Retraced
from attncheck.source import Source
from attncheck.tree.pairs import inner
from attncheck.values.tensor import Tensor
from attncheck.values.value import as_tensor

#: Operations that move elements, so that equal means equal to the bit.
_MOVING: tuple[type[Event], ...] = (*MOVES, Expansion, Selection, Triangle)
_SURE: tuple[type[Event], ...] = (
    *_MOVING,
    Contraction,
    Einsum,
    Elementwise,
    Reduction,
    Softmax,
)
#: Elementwise operations with truth values.
_LOGICAL = frozenset({"==", "!=", "<", "<=", ">", ">=", "and", "or", "xor", "~", "&", "|", "^"})
#: Calls that only ask for a size.
_ASKING = frozenset({"size", "dim", "ndimension", "numel", "len", "int"})
#: The longest expression that is worth being written twice.
_LONGEST = 90


def reference_assert(after: Retraced, function: str, line: int) -> tuple[str, ...]:
    """The assert that the name assigned in `line` has the value of the corrected expression."""
    for sites, traced in after.sites_of(function):
        by_node = {operation.node: operation for operation in traced.graph.operations}
        for site in sites:
            tensor = as_tensor(site.value)
            if after.source.span(site.node).line != line or tensor is None:
                continue
            value = _assigned(after.source, site.node)
            if value is None or site.name in _names(value) or not _is_sure(value, by_node):
                continue
            code = " ".join(after.source.code(value).split())
            made = by_node.get(value)
            if made is not None and len(code) <= _LONGEST:
                return (f"assert {_equal(made, tensor)}({site.name}, {code})",)
    return ()


def _assigned(source: Source, target: cst.CSTNode) -> cst.BaseExpression | None:
    """What a statement assigns to one name and nothing else."""
    around = source.around(target)
    assignment = around[-3] if len(around) > 2 else None
    if not isinstance(assignment, cst.Assign) or len(assignment.targets) > 1:
        return None
    return assignment.value if isinstance(target, cst.Name) else None


def _equal(made: Operation, tensor: Tensor) -> str:
    event = made.event
    exact = isinstance(event, _MOVING) or (
        isinstance(event, Elementwise) and event.symbol in _LOGICAL
    )
    if tensor.library == "torch":
        return "torch.equal" if exact else "torch.allclose"
    return f"{array_module(tensor.library)}.{'array_equal' if exact else 'allclose'}"


def _names(node: cst.CSTNode) -> set[str]:
    """The names in an expression."""
    own = {node.value} if isinstance(node, cst.Name) else set()
    return own.union(*map(_names, inner(node)))


def _is_sure(node: cst.CSTNode, by_node: dict[cst.CSTNode, Operation]) -> bool:
    """Whether an expression gives the same each time that it is computed."""
    if isinstance(node, cst.Await | cst.NamedExpr | cst.Lambda | cst.BaseComp):
        return False
    if isinstance(node, cst.Call) and not _asks(node):
        made = by_node.get(node)
        event = None if made is None else made.event
        if not isinstance(event, _SURE):
            return False
        if isinstance(event, Elementwise) and event.symbol == "dropout":
            return False
    return all(_is_sure(child, by_node) for child in inner(node))


def _asks(call: cst.Call) -> bool:
    name = call.func.attr if isinstance(call.func, cst.Attribute) else call.func
    return isinstance(name, cst.Name) and name.value in _ASKING
