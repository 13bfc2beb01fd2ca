"""Slices moved to the axis that was meant, and places taken in the order that they have."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import libcst as cst

from attncheck.checks.carried_states import forgotten
from attncheck.checks.lowest_queries import lowest_picks
from attncheck.checks.mixed_states import mixed
from attncheck.checks.painted import painted_wrong
from attncheck.checks.parts_in_order import Miscut, miscut
from attncheck.checks.recurrent_ends import gathered_axis, gathered_run
from attncheck.checks.report import Report
from attncheck.checks.restarted_stacks import restarted
from attncheck.checks.reversed_states import Reversed, reversed_states
from attncheck.checks.runs import Run, is_output, runs
from attncheck.checks.split_weights import SplitWeights, split_on_batch
from attncheck.checks.view import View
from attncheck.operators.events import Joining
from attncheck.repair.candidate import Candidate, Change, edit
from attncheck.repair.wording import argument_of, bracketed, call_with, reversed_along
from attncheck.tree.pairs import parts
from attncheck.values.value import as_tensor


def other_places(report: Report, view: View) -> Iterator[Candidate]:
    """The index or the arguments of a report with two of them exchanged, or rewritten."""
    for kind in _KINDS:
        made = kind(report, view)
        if made is not None:
            yield from made
            return


# -- kinds of wrong places: candidates where a report is of the kind, else None -----------------


def _carried_on(report: Report, view: View) -> Iterator[Candidate] | None:
    """A step that starts from the state that the first one started from."""
    forgot = view.remembered(forgotten, report.operation)
    if forgot is None or forgot.call is not report.node:
        return None
    change = Change(forgot.thrown, view.code(forgot.given))
    return iter([Candidate((change,), "carry the state on", safe=False, same_size=True)])


def _stacked(report: Report, view: View) -> Iterator[Candidate] | None:
    """The layer of a loop that starts from the same tensor in every turn."""
    stack = next((each for each in view.once(restarted) if each.call is report.node), None)
    if stack is None:
        return None
    change = Change(stack.name, f"{stack.given.value} = {stack.name.value}")
    return iter([Candidate((change,), "go on from what it gives", safe=False, same_size=True)])


def _unmixed(report: Report, view: View) -> Iterator[Candidate] | None:
    """The states that stand in each other's place."""
    pair = next((each for each in view.once(mixed) if each.operation is report.operation), None)
    if pair is None:
        return None
    nodes = [each.node for each in pair.exchanged if each.node is not None]
    changes = tuple(
        Change(node, view.code(other)) for node, other in zip(nodes, nodes[::-1], strict=True)
    )
    words = "put each state in its place"
    return iter([Candidate(changes, words, safe=False, same_size=True, several=pair.joined)])


def _backwards(report: Report, view: View) -> Iterator[Candidate] | None:
    """The states of a run backwards that stand in reversed order."""
    turned = view.remembered(reversed_states, report.operation)
    return None if turned is None else _turned_round(turned, view)


def _split_weights(report: Report, view: View) -> Iterator[Candidate] | None:
    """Weights that are split along the batch."""
    batch = view.remembered(split_on_batch, report.operation)
    return None if batch is None else _along_queries(batch, report.node, view)


def _cut_apart(report: Report, view: View) -> Iterator[Candidate] | None:
    """The cuts that are made in the other order than what they cut was joined."""
    cut = next((each for each in view.once(miscut) if each.first is report.operation), None)
    return None if cut is None else _in_order(cut, view)


def _painted(report: Report, view: View) -> Iterator[Candidate] | None:
    """A write into slices of other axes than were meant."""
    found = view.remembered(painted_wrong, report.operation)
    return None if found is None else painted_right(report, view)


def _named(report: Report, view: View) -> Iterator[Candidate] | None:
    """Names for states in another order than they come in."""
    node = report.node
    if not isinstance(node, cst.Tuple):
        return None
    names = [view.source.code(element.value) for element in node.elements]
    text = ", ".join(reversed(names))
    if view.source.code(node).startswith("("):
        text = f"({text})"
    return iter([edit(node, text, "name the states as they come")])


def _picked(report: Report, view: View) -> Iterator[Candidate] | None:
    """A place of another axis, layer or direction than the one that was meant."""
    node = report.node
    run = None
    if isinstance(node, cst.Subscript):
        if _is_lowest(report, view):
            return _top_layer(node, view)
        run = _ended_run(report, view)
        if run is not None:
            return _last_states(run, report, view)
    run = gathered_run(report.operation, view)
    if run is not None:
        return _last_states(run, report, view, kept=gathered_axis(report.operation))
    return _index(report, node, view) if isinstance(node, cst.Subscript) else None


def _joined(report: Report, view: View) -> Iterator[Candidate] | None:
    """The states of the first layer joined, where those of the last were meant."""
    return _last_layer(report, view) if isinstance(report.operation.event, Joining) else None


def _called(report: Report, view: View) -> Iterator[Candidate] | None:
    """A call that cuts another axis than was meant."""
    return _arguments(report, report.node, view) if isinstance(report.node, cst.Call) else None


_KINDS: tuple[Callable[[Report, View], Iterator[Candidate] | None], ...] = (
    *(_carried_on, _stacked, _unmixed, _backwards, _split_weights, _cut_apart, _painted),
    *(_named, _picked, _joined, _called),
)


# -- what is written ----------------------------------------------------------------------------


def _turned_round(turned: Reversed, view: View) -> Iterator[Candidate]:
    """The states of a run backwards in the order of the steps, where they are given or joined."""
    alone = as_tensor(turned.backward.output) is not None
    node = turned.backward.node if alone else turned.operand.node
    if node is not None:
        text = reversed_along(view, node, turned.tensor, turned.steps)
        words = "put the steps in order again"
        yield Candidate((Change(node, text),), words, safe=False, same_size=True)


def _along_queries(found: SplitWeights, node: cst.CSTNode, view: View) -> Iterator[Candidate]:
    """The weights as they are, and not turned round; or another axis to split them along."""
    plain = None if found.turned is None else next(found.turned.tensors())[0].node
    if plain is not None and found.operand.node is not None:
        yield edit(found.operand.node, view.code(plain), "leave them batch first", safe=False)
    axis = argument_of(node) if isinstance(node, cst.Call) else None
    if axis is not None:
        yield edit(axis, str(found.queries), "split them along the queries", safe=False)


def _is_lowest(report: Report, view: View) -> bool:
    """Whether a report is of the state of a lowest layer that is taken for a query."""
    return any(pick is report.operation for pick, _ in view.once(lowest_picks))


def _top_layer(node: cst.Subscript, view: View) -> Iterator[Candidate]:
    """``h[-1]`` for ``h[0]``, ``h[-1:]`` for ``h[:-1]``."""
    first, *rest = [view.code(element.slice) for element in node.slice]
    text = _subscript(node, ["-1:" if ":" in first else "-1", *rest], view)
    yield edit(node, text, "take the state of the top layer", safe=False)


def painted_right(report: Report, view: View) -> Iterator[Candidate]:
    """The slices of a write at the axes of more than one place, in their order."""
    found = view.remembered(painted_wrong, report.operation)
    if found is None:
        return
    items = [view.code(element.slice) for element in found.node.slice]
    cuts = dict(zip(found.meant, (items[place] for place in found.cut), strict=True))
    text = _subscript(found.node, [cuts.get(place, ":") for place in range(len(items))], view)
    words = " and ".join(map(str, found.meant))
    yield edit(found.node, text, f"cut axes {words}", safe=False)


def _in_order(found: Miscut, view: View) -> Iterator[Candidate]:
    """``text, image = x[:, :-n], x[:, -n:]`` for ``image, text = x[:, :n], x[:, n:]``."""
    first, rest = found.first.node, found.rest.node
    if not isinstance(first, cst.Subscript) or not isinstance(rest, cst.Subscript):
        return
    key = first.slice[found.axis].slice
    size = key.upper if isinstance(key, cst.Slice) else None
    if size is None:
        return
    back = f"-{bracketed(view, size)}"
    words = "cut the parts in the order in which they were joined"
    ends, fronts = (_cut_at(first, found.axis, each, view) for each in (f"{back}:", f":{back}"))
    names = _targets(first, rest, view)
    if names is None:
        yield Candidate((Change(first, ends), Change(rest, fronts)), words, safe=False)
        return
    one, other = names
    swapped = Change(one, view.code(other)), Change(other, view.code(one))
    cuts = Change(first, fronts), Change(rest, ends)
    yield Candidate((*swapped, *cuts), words, safe=False)


def _cut_at(node: cst.Subscript, axis: int, cut: str, view: View) -> str:
    """An index with another slice of one axis."""
    items = [view.code(element.slice) for element in node.slice]
    items[axis] = cut
    return _subscript(node, items, view)


def _targets(
    first: cst.CSTNode, rest: cst.CSTNode, view: View
) -> tuple[cst.CSTNode, cst.CSTNode] | None:
    """The two names that one assignment gives two values, in this order."""
    around = view.source.around(first)
    assignment = next((node for node in around if isinstance(node, cst.Assign)), None)
    if assignment is None or not isinstance(assignment.value, cst.Tuple):
        return None
    target = assignment.targets[0].target
    if [each.value for each in assignment.value.elements] != [first, rest]:
        return None
    if not isinstance(target, cst.Tuple) or len(target.elements) != 2:
        return None
    return target.elements[0].value, target.elements[1].value


def _ended_run(report: Report, view: View) -> Run | None:
    """The layer in both directions of whose output a report says that it does not end there."""
    source = report.operation.source
    if report.moved is not None or source is None:
        return None
    return next((run for run in runs(view) if run.both and is_output(view, run, source)), None)


def _last_states(
    run: Run, report: Report, view: View, kept: int | None = None
) -> Iterator[Candidate]:
    """The last states of both directions, where the layer's call gives them a name.

    An axis of 1 is ``kept`` where one was gathered along it.
    """
    around = view.source.around(run.operation.node)
    assignment = next((node for node in around if isinstance(node, cst.Assign)), None)
    target = None if assignment is None else assignment.targets[0].target
    if not isinstance(target, cst.Tuple) or len(target.elements) != 2:
        return
    states = target.elements[1].value
    if isinstance(states, cst.Tuple):
        states = states.elements[0].value
    if isinstance(states, cst.Name) and not states.value.startswith("_"):
        text = f"torch.cat(({states.value}[-2], {states.value}[-1]), dim=-1)"
        text += "" if kept is None else f".unsqueeze({kept})"
        yield edit(report.node, text, "take the last states of both directions", safe=False)


def _index(report: Report, node: cst.Subscript, view: View) -> Iterator[Candidate]:
    if report.moved is None:
        items = [view.code(element.slice) for element in node.slice]
        start = "0" if items[0].startswith((":", "0:")) else "1"
        text = _subscript(node, [f"{start}::2", *items[1:]], view)
        yield edit(node, text, "take every other state", safe=False)
        return
    words = f"take it from axis {report.moved[1]}"
    text = _exchanged(node, report.moved, view)
    yield edit(node, text, words, safe=False)
    # The other half of the same tensor, in the same line.
    twins = [
        other for other in _beside(node, view) if view.code(other.value) == view.code(node.value)
    ]
    changes = (Change(each, _exchanged(each, report.moved, view)) for each in twins)
    yield Candidate(tuple(changes), words, safe=False)
    # Beside the whole sequence it has to keep the axis that it is the last place of.
    yield edit(node, _as_axis(text), f"{words}, which stays as one of 1", safe=False)


def _exchanged(node: cst.Subscript, places: tuple[int, int], view: View) -> str:
    """An index with what stands at two places exchanged."""
    items = [view.code(element.slice) for element in node.slice]
    items += [":"] * (max(places) + 1 - len(items))
    first, second = places
    items[first], items[second] = items[second], items[first]
    while items[-1] == ":":
        items.pop()
    return _subscript(node, items, view)


def _as_axis(text: str) -> str:
    """An index with its last place, ``x[:, -1]``, as a slice of one place."""
    return f"{text[:-3]}-1:]" if text.endswith("-1]") else text


def _subscript(node: cst.Subscript, items: list[str], view: View) -> str:
    return f"{view.source.code(node.value)}[{', '.join(items)}]"


def _beside(node: cst.Subscript, view: View) -> Iterator[cst.Subscript]:
    """The index expressions of the statement that one stands in."""
    lines = (cst.SimpleStatementLine, cst.SimpleStatementSuite)
    statement = next((each for each in view.source.around(node) if isinstance(each, lines)), node)
    return (part for part in parts(statement) if isinstance(part, cst.Subscript))


def _arguments(report: Report, node: cst.Call, view: View) -> Iterator[Candidate]:
    """A view with two sizes exchanged, or a chunk along another axis."""
    if report.moved is not None:
        sizes = [argument.value for argument in node.args if argument.keyword is None]
        for listed in (argument.value for argument in node.args):
            if isinstance(listed, cst.Tuple):
                sizes = [element.value for element in listed.elements]
        first, second = (sizes[place] for place in report.moved)
        changes = Change(first, view.code(second)), Change(second, view.code(first))
        yield Candidate(changes, "exchange the two sizes", safe=False)
        return
    axis = argument_of(node)
    if axis is not None and any(each.keyword and each.value is axis for each in node.args):
        yield edit(axis, "-1", "cut the last axis", safe=False)
    elif len(node.args) > 1:
        yield edit(node.args[-1].value, "-1", "cut the last axis", safe=False)
    else:
        yield edit(node, call_with(view, node, "dim=-1"), "cut the last axis", safe=False)


def _last_layer(report: Report, view: View) -> Iterator[Candidate]:
    """The states of the last layer instead of those of the first."""
    changes = []
    for operand, number in zip(report.operation.tensors(), ("-2", "-1"), strict=False):
        node = operand[0].node
        if not isinstance(node, cst.Subscript) or not isinstance(node.slice[0].slice, cst.Index):
            return
        changes.append(Change(node.slice[0].slice.value, number))
    yield Candidate(tuple(changes), "take the last layer", safe=False)
