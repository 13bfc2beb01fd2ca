"""Fixes of a query from the wrong step: the other state, or the update behind the attention."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from attncheck.attention import behind
from attncheck.checks.first_states import states_left_behind
from attncheck.checks.own_cells import own_steps
from attncheck.checks.report import Report
from attncheck.checks.states import function_of
from attncheck.checks.steps import (
    Step,
    given_state,
    hidden,
    is_unseen_pair,
    last_state,
    path,
    steps,
)
from attncheck.checks.view import View
from attncheck.finding import Edit, Span
from attncheck.operators.events import MOVES
from attncheck.repair.candidate import Candidate, Change
from attncheck.repair.statements import exchanged_statements
from attncheck.tracer.machine import ShapeSite
from attncheck.tree.pairs import parts
from attncheck.values.tensor import Tensor
from attncheck.values.value import Sequence, Value, as_tensor


def other_state(report: Report, view: View) -> Iterator[Candidate]:
    """The state of the other side of the update under its name; else the update moved."""
    for found in view.once(states_left_behind):
        if found.step.node is report.node:
            change = Change(found.asked, found.carried)
            words = f"ask with {found.carried}"
            yield Candidate((change,), words, safe=False, same_size=True)
            return
    for step in steps(view):
        if step.node is report.node:
            yield from _renamed(step, view)
            if step.after:
                yield from _moved(step, view)
            return
    for step in own_steps(view):
        if step.node is report.node:
            yield from _named_anew(step, view)
            yield from _exchanged(step, view)
            return


# -- another name ----------------------------------------------------------------------------------


def _renamed(step: Step, view: View) -> Iterator[Candidate]:
    """The state of the other step, where a name still holds it when the attention runs."""
    held = _held(view, step.node)
    old = _names(held, given_state(step.update))
    new = _names(held, last_state(step.update))
    if is_unseen_pair(step.update):
        old = (set(), old[0])
    words = "use the state before the update" if step.after else "use the state after the update"
    for wrong, right in zip(new, old, strict=True) if step.after else zip(old, new, strict=True):
        for node in parts(step.node):
            if isinstance(node, cst.Name) and node.value in wrong:
                for name in sorted(right):
                    change = Change(node, name)
                    yield Candidate((change,), f"{words}, `{name}`", False, same_size=True)


def _named_anew(step: Step, view: View) -> Iterator[Candidate]:
    """The new state of a cell that is written out, where a name holds it already."""
    held = _held(view, step.node)
    old, _ = _names(held, step.state.tensor)
    new, _ = _names(held, as_tensor(step.update.output))
    for node in parts(step.node):
        for name in sorted(new) if isinstance(node, cst.Name) and node.value in old else ():
            words = f"use the state after the update, `{name}`"
            yield Candidate((Change(node, name),), words, False, same_size=True)


def _names(held: dict[str, Value], state: Tensor | None) -> tuple[set[str], set[str]]:
    """The names of a state: alone, and of an LSTM's pair that starts with it."""
    alone = {name for name, value in held.items() if as_tensor(value) is state}
    pairs = {
        name
        for name, value in held.items()
        if type(value) is Sequence and as_tensor(hidden(value)) is state
    }
    return (alone, pairs) if state is not None else (set(), set())


def _held(view: View, node: cst.CSTNode) -> dict[str, Value]:
    """What the names of a function hold when an expression in it runs for the first time."""
    place = view.source.span(node)
    first: dict[cst.CSTNode, ShapeSite] = {}
    for sites, _ in view.sites_in(function_of(view, node)):
        for site in sites:
            first.setdefault(site.node, site)
    held: dict[str, Value] = {}
    for site in sorted(first.values(), key=lambda site: view.source.span(site.node)):
        if site.name != "return" and view.source.span(site.node) < place:
            held[site.name] = site.value
    return held


# -- another order ---------------------------------------------------------------------------------


def _moved(step: Step, view: View) -> Iterator[Candidate]:
    """The statement of the update behind that of the attention, where both are of one block."""
    source = view.source
    block = _block(step, view)
    if block is None or not _is_given(block) or not _is_all_attention(step, view, block[1:]):
        return
    first, last = source.span(block[0]), source.span(block[-1])
    update = source.code(block[0]).strip()
    start = source.offset(first.end_line, first.end_column)
    rest = source.text[start : source.offset(last.end_line, last.end_column)].strip()
    indent = source.lines[first.line - 1][: first.column - 1]
    if "\n" in update or indent.strip():
        return
    whole = Span(first.line, first.column, last.end_line, last.end_column)
    turned = Edit(whole, f"{rest}\n{indent}{update}")
    shown = "\n".join(line.strip() for line in turned.text.splitlines())
    yield Candidate(
        (), "attend before the update", False, edits=(turned,), same_size=True, shown=shown
    )


def _exchanged(step: Step, view: View) -> Iterator[Candidate]:
    """The statement of the update in front of the attention's, which it stands right behind."""
    found = exchanged_statements(step.node, step.turn, view)
    if found is not None:
        turned, shown = found
        words = "update the state before the attention"
        yield Candidate((), words, False, edits=(turned,), same_size=True, shown=shown)


def _block(step: Step, view: View) -> list[cst.CSTNode] | None:
    """The statements of one block from the update to the one that makes the context."""
    depth = path(step.update).index(step.turn)
    context = path(step.site.sums[-1].operation)
    if len(context) <= depth:
        return None
    one, other = view.source.around(step.turn), view.source.around(context[depth])
    for outer, left, right in zip(one, one[1:], other[1:], strict=False):
        if left is not right:
            body = list(getattr(outer, "body", ()))
            return body[body.index(left) : body.index(right) + 1] if right in body else None
    return None


def _is_given(block: list[cst.CSTNode]) -> bool:
    """Whether the update, first of a block, takes what the other statements make: the context."""
    update, *attention = block
    names = {part.value for part in parts(update) if isinstance(part, cst.Name)}
    made = (part for statement in attention for part in parts(statement))
    targets = (target for part in made if isinstance(part, cst.Assign) for target in part.targets)
    return any(
        isinstance(part, cst.Name) and part.value in names
        for target in targets
        for part in parts(target.target)
    )


def _is_all_attention(step: Step, view: View, statements: list[cst.CSTNode]) -> bool:
    """Whether statements want the new state for the scores only: then they may run before it."""
    scoring = {operation.number for operation in behind(view.graph, step.site.scores_in)}
    states = {step.update.number}
    inside = {part for statement in statements for part in parts(statement)}
    depth = path(step.update).index(step.turn)
    for operation in view.graph.operations:
        if not states & {tensor.operation for _, tensor in operation.tensors()}:
            continue
        if not _gives_a_tensor(operation.output):
            continue  # a size, which the state has before the update too
        if isinstance(operation.event, MOVES):
            states.add(operation.number)
        way = path(operation)
        if operation.number not in scoring and len(way) > depth and way[depth] in inside:
            return False
    return True


def _gives_a_tensor(value: Value) -> bool:
    items = value.items or () if type(value) is Sequence else (value,)
    return any(as_tensor(item) is not None for item in items)
