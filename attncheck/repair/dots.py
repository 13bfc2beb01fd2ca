"""A dot of two stacks of matrices written as the product that takes them pair by pair."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from attncheck.checks.one_dot import over_batch
from attncheck.checks.report import Report
from attncheck.checks.stacked_dots import stacked
from attncheck.checks.view import View
from attncheck.graph import Operation
from attncheck.operators.events import Contraction
from attncheck.repair.candidate import Candidate, Change, edit
from attncheck.repair.wording import array_module, bracketed

_PAIRED = "multiply the matrices pair by pair"
_MOST_AXES = 3
_FACTORS = 2


def each_sequence(report: Report, view: View) -> Iterator[Candidate]:
    """A score for each sequence of a batch in the place of one for all of them."""
    found = view.remembered(over_batch, report.operation)
    nodes = [] if found is None else [each.node for each in found.factors]
    if len(nodes) == _FACTORS and None not in nodes:
        left, right = (bracketed(view, node) for node in nodes if node is not None)
        text = f"({left} * {right}).sum(dim=-1)"
        yield Candidate((Change(report.node, text),), "score each sequence by itself", safe=False)


def along_others(report: Report, view: View) -> Iterator[Candidate]:
    """Other axes for Keras' dot of two stacks to sum over: those of one size, one changed first."""
    given = next((each for each in report.operation.operands if each.name == "axes"), None)
    sizes = [view.sizes(tensor) for _, tensor in report.operation.tensors()]
    event = report.operation.event
    if given is None or given.node is None or not view.source.has(given.node):
        return
    if not isinstance(event, Contraction) or len(sizes) != _FACTORS:
        return
    left, right = (list(enumerate(each or ()))[1:] for each in sizes)
    now = (event.left_axes[-1], event.right_axes[-1])
    pairs = [(i, j) for i, one in left for j, other in right if view.equal(one, other)]
    for pair in sorted(pairs, key=lambda pair: (pair[0] != now[0]) + (pair[1] != now[1])):
        if pair != now:
            text = f"{pair[0]}, {pair[1]}"
            if not isinstance(given.node, cst.Tuple):
                text = f"[{text}]"
            yield edit(given.node, text, f"sum over axes {text}", safe=False)


def pair_by_pair(report: Report, view: View) -> Iterator[Candidate]:
    """Products of matrices in the place of dots: of all that read each other, else of this one."""
    if view.remembered(stacked, report.operation) is None:
        return
    own = list(_written(report.operation, view))
    linked = [change for each in _linked(report.operation, view) for change in _written(each, view)]
    if own and linked:
        changes = (*own, *linked)
        yield Candidate(changes, _PAIRED, safe=False, several=True)
    if own:
        yield Candidate(tuple(own), _PAIRED, safe=False)


def _linked(operation: Operation, view: View) -> list[Operation]:
    """The other dots of stacks that read what one gives, or give what it reads."""
    dots = [each for each in view.graph.operations if view.remembered(stacked, each) is not None]
    nodes = [operation.node]
    found: list[Operation] = []
    for other in dots:
        if other.node in nodes or other.place.function != operation.place.function:
            continue
        if other in view.graph.derived(operation) or operation in view.graph.derived(other):
            nodes.append(other.node)
            found.append(other)
    return found


def _written(operation: Operation, view: View) -> Iterator[Change]:
    """``np.dot(a, b)`` and ``a.dot(b)`` as ``np.matmul(a, b)``."""
    node = operation.node
    if not isinstance(node, cst.Call) or not isinstance(node.func, cst.Attribute):
        return
    if operation.spelling.startswith("keras"):
        # It takes two stacks, and no stacks of stacks.
        if all(len(view.sizes(each) or ()) == _MOST_AXES for _, each in operation.tensors()):
            yield Change(node.func.attr, "batch_dot")
        return
    if not operation.spelling.rpartition(".")[0].endswith((".ndarray", ".Array")):
        yield Change(node.func.attr, "matmul")
        return
    module = array_module(operation.spelling.partition(".")[0])
    left = view.source.code(node.func.value)
    yield Change(node.func, f"{module}.matmul")
    yield Change(node.args[0], f"{left}, {view.source.code(node.args[0])}")
