"""A query that is the state of the lowest of several layers, where the top one is meant.

The states of a recurrent layer are ``(layers, B, H)``, the lowest layer first (torch.nn.GRU,
"Outputs"). What the layers above have made of the words so far is in ``h[-1]``; ``h[0]`` and, of
two layers, ``h[:-1]`` have the same shape. Luong et al. 2015, section 3, ask with "the hidden state
at the top layer of a stacking LSTM".
"""

from __future__ import annotations

from collections.abc import Iterator

from attncheck.algebra.size import ONE
from attncheck.attention import Site
from attncheck.checks.picked import keys_of
from attncheck.checks.report import Culprit, Report
from attncheck.checks.runs import Run, are_one, is_many, runs
from attncheck.checks.view import View
from attncheck.graph import Operation
from attncheck.operators.events import Event, Recurrence, Softmax
from attncheck.rule import Rule
from attncheck.values.tensor import Tensor
from attncheck.values.value import NONE, Slice, as_integer, as_tensor

#: What ends the way back from scores: the states of a step before, and other weights.
_ENDS: tuple[type[Event], ...] = (Recurrence, Softmax)
#: The axes of the states of a batch: layers, sequences, features.
_RANK = 3
#: How many operations are looked at behind scores.
_MOST = 120


def lowest_queries(rule: Rule, view: View) -> Iterator[Report]:
    """A report for each state of a lowest layer that scores are made of, and no other layer's."""
    for pick, run in view.once(lowest_picks):
        yield _report(rule, pick, run, view)


def lowest_picks(view: View) -> list[tuple[Operation, Run]]:
    """The index expressions that take the state of a lowest layer for a query, and the layers."""
    found: dict[object, tuple[Operation, Run]] = {}
    for run in runs(view):
        if run.both or not _has_many(run, view):
            continue
        states = [*_given(run), *run.states]
        picks = [
            operation
            for operation in view.graph.operations
            if operation.kind == "index" and _is_of(operation, states, view)
        ]
        asked = [pick for pick in picks if _asks(pick, view)]
        if len({pick.node for pick in asked}) != 1 or asked[0].elsewhere:
            continue
        if all(_is_lowest(pick, view) for pick in asked):
            found.setdefault(asked[0].node, (asked[0], run))
    return list(found.values())


def _has_many(run: Run, view: View) -> bool:
    """Whether a run has several layers, also where callers say how many."""
    number = None if run.layers is None else run.layers.evaluate(view.numbers)
    return is_many(run.layers) and number != 1


def _given(run: Run) -> list[Tensor]:
    """The states that a run starts from: of an LSTM both, or nobody knows which is which."""
    given = [each for operand, each in run.operation.tensors() if operand.name == "state"]
    return given if len(given) == len(run.states) else []


def _is_of(operation: Operation, states: list[Tensor], view: View) -> bool:
    """Whether an index is into the states of all layers, and not into the output beside them."""
    source = operation.source
    sizes = view.sizes(source)
    if source is None or sizes is None or len(sizes) != _RANK:
        return False
    return any(are_one(source, state) and view.sizes(state) == sizes for state in states)


def _asks(pick: Operation, view: View) -> bool:
    """Whether what is picked is compared with keys, and is none of the values."""
    sites = [site for site in view.sites if site.sums and site.softmax.number > pick.number]
    scores = any(pick in _behind(site.scores_in, view) for site in sites)
    return scores and not any(pick in _behind(tensor, view) for tensor in _values(sites))


def _behind(tensor: Tensor, view: View) -> Iterator[Operation]:
    """The operations that a tensor comes from within a step, through layers too."""
    waiting, seen = [tensor], set[int]()
    while waiting and len(seen) < _MOST:
        for made in view.graph.known_makers(waiting.pop(0)):
            if made.number not in seen and not isinstance(made.event, _ENDS):
                seen.add(made.number)
                yield made
                waiting += [source for _, source in made.tensors()]


def _values(sites: list[Site]) -> Iterator[Tensor]:
    for site in sites:
        for total in site.sums:
            for place, (_, tensor) in enumerate(total.operation.tensors()):
                if place != total.weights:
                    yield tensor


def _is_lowest(pick: Operation, view: View) -> bool:
    """Whether an index takes the first layer: ``h[0]``, ``h[:1]``, or of two ``h[:-1]``."""
    keys = keys_of(pick)
    if not keys:
        return False
    if type(keys[0]) is not Slice:
        return as_integer(keys[0]) == 0
    lower, made = keys[0].lower, view.sizes(as_tensor(pick.output))
    starts = lower is None or lower == NONE or as_integer(lower) == 0
    return starts and made is not None and len(made) == _RANK and made[0] == ONE


def _report(rule: Rule, pick: Operation, run: Run, view: View) -> Report:
    output = as_tensor(pick.output)
    assert output is not None
    return Report(
        rule,
        pick,
        pick.node,
        f"`{view.quote(pick.node)}` is the state of the lowest of the {run.layers} layers of"
        f" `{view.quote(run.operation.node)}`, and the scores are made of it: what the layers above"
        " have understood asks for nothing; every layer's state has this shape, so nothing raises",
        Culprit(pick.node, output),
        view.sizes(output),
        "the state of the top layer, which is the last one (Luong et al. 2015, section 3)",
        named=True,
        local=True,
    )
