"""Tensors that certainly are masks, and what has been masked already.

A mask here is a tensor that holds nothing but true and false (or 1 and 0) for reasons that the
trace shows: a comparison, a bool, a triangle of ones, and what casts, indexing, logic and products
make of them. Random numbers compared with a rate are dropout and no mask.
"""

from __future__ import annotations

import functools
import re

from attncheck.attention import Site, behind
from attncheck.checks.view import View
from attncheck.graph import Graph, Operation
from attncheck.meaning.elements import number_of
from attncheck.operators.events import (
    COMPARISONS,
    COPYING,
    MOVES,
    Contraction,
    Creation,
    Einsum,
    Elementwise,
    Event,
    Expansion,
    NewAxis,
    Reduction,
    Selection,
    Triangle,
)
from attncheck.source import split_lines
from attncheck.values.tensor import Tensor

#: Elementwise operations on masks alone that give a mask.
_LOGIC = frozenset({"&", "|", "^", "and", "or", "xor", "invert", "logical_not", "*"})
#: What passes the elements of a mask on as they are.
_PASSING: tuple[type[Event], ...] = (*MOVES, Expansion)
_RANDOM = ("rand", "bernoulli", "binomial", "uniform", "normal", "choice", "permutation", "random")
_FILLS = frozenset({"masked_fill", "where"})
_PRODUCTS: tuple[type[Event], ...] = (Contraction, Einsum)
_FILLED = re.compile(r"\]\s*=[^=]")


def is_mask(graph: Graph, tensor: Tensor) -> bool:
    """Whether a tensor certainly is a mask that is no dropout."""
    return _holds_truth(graph, tensor, 0) and not draws(graph, tensor)


def draws(graph: Graph, tensor: Tensor) -> bool:
    """Whether random numbers are in what a tensor comes from."""
    return any(map(_draws, behind(graph, tensor)))


def _holds_truth(graph: Graph, tensor: Tensor, depth: int) -> bool:
    if tensor.dtype == "bool":
        return True
    if depth > 12:
        return False
    makers = graph.makers(tensor)
    return None not in makers and all(
        made is not None and _gives_truth(graph, made, depth) for made in makers
    )


def _gives_truth(graph: Graph, made: Operation, depth: int) -> bool:
    event = made.event
    operands = [operand for _, operand in made.tensors()]
    if isinstance(event, Triangle):
        return bool(operands) and (
            _is_ones(graph, operands[0]) or _holds_truth(graph, operands[0], depth + 1)
        )
    if isinstance(event, Elementwise):
        if event.symbol in COMPARISONS:
            return True
        factors = [number_of(each) for each in made.operands if not isinstance(each.value, Tensor)]
        if event.symbol not in _LOGIC or (event.symbol == "*" and any(n != 1 for n in factors)):
            return False
        return bool(operands) and all(_holds_truth(graph, each, depth + 1) for each in operands)
    if isinstance(event, Reduction) and event.kind in ("any", "all"):
        return True
    if isinstance(event, _PASSING) or made.kind in COPYING:
        return bool(operands) and _holds_truth(graph, operands[0], depth + 1)
    return False


def _is_ones(graph: Graph, tensor: Tensor) -> bool:
    made = graph.maker(tensor)
    return made is not None and isinstance(made.event, Creation) and made.event.kind == "ones"


def _draws(operation: Operation) -> bool:
    """Whether an operation draws random numbers."""
    return isinstance(operation.event, Creation) and operation.spelling.rpartition(".")[
        2
    ].startswith(_RANDOM)


def may_be_masked(graph: Graph, scores: Tensor) -> bool:
    """Whether a mask has entered scores since the product that made them, or may have.

    Masks are filled in, chosen by, added or multiplied; what comes in from outside may be one.
    """
    for operation in behind(graph, scores, _PRODUCTS):
        event = operation.event
        if not isinstance(event, Elementwise):
            continue
        if event.symbol in _FILLS:
            return True
        operands = [operand for _, operand in operation.tensors()]
        if event.symbol not in ("+", "-", "*") or len(operands) != 2:
            continue
        if any(graph.comes_in(each) or rests_on_mask(graph, each) for each in operands):
            return True
    return False


def rests_on_mask(graph: Graph, tensor: Tensor) -> bool:
    """Whether a tensor is a mask, or a mask turned into numbers: ``(1 - mask) * -1e9``."""
    if _holds_truth(graph, tensor, 0):
        return True
    waiting = graph.known_makers(tensor)
    for _ in range(6):
        if not waiting:
            return False
        made = waiting.pop(0)
        if not isinstance(made.event, Elementwise | NewAxis | Selection):
            continue
        operands = [operand for _, operand in made.tensors()]
        if any(_holds_truth(graph, operand, 0) for operand in operands):
            return True
        if len(operands) == 1:
            waiting += graph.known_makers(operands[0])
    return False


def written_into(site: Site, view: View) -> bool:
    """Whether scores are written into by index, which no operation shows: ``e[~mask] = -1e9``."""
    nodes = [operand.node for operand, _ in site.softmax.tensors()]
    for caller in site.softmax.place.calls:
        nodes += [argument.value for argument in getattr(caller.node, "args", ())]
    return are_written({name for node in nodes if (name := view.base_name(node))}, view)


def are_written(names: set[str], view: View) -> bool:
    """Whether a tensor of one of these names is written into by index anywhere in the file."""
    written = re.compile(rf"^\s*(?:{'|'.join(map(re.escape, names)) or 'self'})\s*\[.*\]\s*=[^=]")
    return any(map(written.match, _filled_lines(view.source.text)))


@functools.lru_cache(maxsize=2)
def _filled_lines(text: str) -> tuple[str, ...]:
    """The lines of a file that may write into something by index."""
    return tuple(filter(_FILLED.search, split_lines(text)))
