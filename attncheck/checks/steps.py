"""One recurrent step with attention in it: which state the scores are computed from.

A step is one update of a state (a cell, or a recurrent layer run over one position) and one
attention site that run in the same turn of a loop, or in the same call of a function. The state
that the query comes from is told by the dataflow: what the update gave, or what it was given.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import libcst as cst

from attncheck.attention import Site, behind
from attncheck.checks.view import View
from attncheck.graph import Graph, Operand, Operation
from attncheck.operators.events import Contraction, Einsum, Elementwise, Event, Recurrence, Softmax
from attncheck.record import record
from attncheck.values.tensor import Tensor
from attncheck.values.value import Sequence, Value, as_tensor

#: What ends the way back from scores: a state, and the weights of another attention.
_ENDS: tuple[type[Event], ...] = (Recurrence, Softmax)
_MOST_USES = 120

#: The expressions that lead to an operation: the calls, outermost first, and its own.
Path = tuple[cst.CSTNode, ...]


@record
class Use:
    """An operand of an operation on the way to the scores."""

    operation: Operation
    operand: Operand
    tensor: Tensor


@record
class Step:
    """An attention site and the update of one step, and what the query is.

    ``after`` says that the query is the state that the update gives, otherwise it is the state that
    the update is given. ``state`` is that state where it is first used on its way to the scores;
    ``node`` is the expression that does so in the function in which attention and update meet, and
    ``turn`` the update as that function has it.
    """

    site: Site
    update: Operation
    after: bool
    state: Use
    node: cst.CSTNode
    turn: cst.CSTNode
    attention: cst.CSTNode
    #: whether the update runs before the attention
    updated: bool
    #: the updates of the same step that are given the context, or what is made of it
    fed: tuple[Operation, ...]

    @property
    def feeds_update(self) -> bool:
        """Whether the context goes into the update of this step."""
        return self.update in self.fed

    @property
    def feeds_another(self) -> bool:
        """Whether the context goes into another update of this step.

        Two cells with attention between them, as in the conditional GRU of Nematus (Sennrich et al.
        2017, section 4) or the attention RNN of Tacotron.
        """
        return any(operation is not self.update for operation in self.fed)


def steps(view: View) -> Iterator[Step]:
    """The recurrent steps of a trace whose attention is queried with a state of the step."""
    graph = view.graph
    if not any(isinstance(each.event, Recurrence) for each in graph.operations):
        return
    updates = list(_first_of_each(filter(is_update, graph.operations)))
    sites = {site.softmax: site for site in view.sites if site.sums}
    for softmax in _first_of_each(sites):
        site = sites[softmax]
        uses = list(uses_behind(graph, site.scores_in))
        for update in updates:
            step = _step(view, site, update, uses)
            if step is not None:
                yield step
                break


def _first_of_each(operations: Iterator[Operation] | dict[Operation, Site]) -> Iterator[Operation]:
    """The operations of a loop's first round: later ones see only what rounds have in common."""
    seen: set[Path] = set()
    for operation in operations:
        way = path(operation)
        if way not in seen:
            seen.add(way)
            yield operation


def path(operation: Operation) -> Path:
    """The calls that lead to an operation, outermost first, and its own expression."""
    return (*(caller.node for caller in operation.place.calls), operation.node)


def is_update(operation: Operation) -> bool:
    """Whether an operation updates a state by one step."""
    event = operation.event
    if not isinstance(event, Recurrence) or operation.elsewhere or event.packed:
        return False
    if event.cell or event.time is None:
        return event.cell
    shape = None if operation.source is None else operation.source.shape
    return shape is not None and len(shape.lead) > event.time and shape.lead[event.time].is_one


# -- states ----------------------------------------------------------------------------------------


def given_state(update: Operation) -> Tensor | None:
    """The state that an update starts from: of an LSTM's pair the hidden state."""
    names = ("state",) if _is_lstm(update) else ("state", "carry")
    states = (tensor for operand, tensor in update.tensors() if operand.name in names)
    return next(states, None)


def _is_lstm(update: Operation) -> bool:
    """Whether a state is a pair, which in Flax has the hidden one behind: such are left alone."""
    return isinstance(update.event, Recurrence) and update.event.kind == "lstm"


def given_states(view: View, update: Operation) -> list[Tensor]:
    """The state that an update starts from, and the items of one that nothing is known of.

    Of an unseen pair the second item is an LSTM's cell state.
    """
    given = given_state(update)
    if given is None:
        return []
    found = [given]
    for (base, name), member in view.evidence.members.items():
        is_cell_state = base.tensor is given and is_unseen_pair(update) and name != "[0]"
        if any(base.tensor is tensor for tensor in found) and not is_cell_state:
            found.append(member.tensor)
    return found


def is_unseen_pair(update: Operation) -> bool:
    """Whether the state that an LSTM starts from is a pair of which nothing is known."""
    event = update.event
    states = [operand for operand in update.operands if operand.name == "state"]
    return isinstance(event, Recurrence) and event.kind == "lstm" and len(states) == 1


def made_states(update: Operation) -> list[Tensor]:
    """The states that an update gives: a layer's output, and its last hidden state."""
    values: list[Value] = [update.output]
    if type(update.output) is Sequence:
        values = list(update.output.items or ())
        event = update.event
        carried = any(operand.name == "carry" for operand in update.operands)
        if isinstance(event, Recurrence) and event.cell and not carried:
            del values[1:]  # the cell state of an LSTM
    return [tensor for value in values if (tensor := as_tensor(hidden(value))) is not None]


def hidden(value: Value) -> Value:
    """A state, or the hidden one of an LSTM's pair."""
    return value.items[0] if type(value) is Sequence and value.items else value


def last_state(update: Operation) -> Tensor | None:
    """The state that the next step starts from: of an LSTM's pair the hidden state."""
    states = made_states(update)
    return states[-1] if states else None


def uses_behind(graph: Graph, scores: Tensor) -> Iterator[Use]:
    """The operands of all operations on the way to scores, back to states and to arguments."""
    waiting, seen = [scores], set[int]()
    while waiting and len(seen) < _MOST_USES:
        made = graph.maker(waiting.pop(0))
        if made is None or made.number in seen or isinstance(made.event, _ENDS):
            continue
        seen.add(made.number)
        for operand, tensor in made.tensors():
            yield Use(made, operand, tensor)
            waiting.append(tensor)


def _state_used(view: View, update: Operation, uses: list[Use]) -> tuple[Use, bool] | None:
    """The first use of a state of an update, and whether it is the state that the update gives."""
    given, made = given_states(view, update), made_states(update)
    before = [use for use in uses if any(use.tensor is tensor for tensor in given)]
    after = [use for use in uses if any(use.tensor is tensor for tensor in made)]
    if bool(before) == bool(after):
        return None
    found = before or after
    return min(found, key=lambda use: use.operation.number), bool(after)


# -- one step --------------------------------------------------------------------------------------


def _step(view: View, site: Site, update: Operation, uses: list[Use]) -> Step | None:
    found = _state_used(view, update, uses)
    if found is None or _is_attended(view.graph, site, update):
        return None
    use, after = found
    one, other = path(update), path(site.softmax)
    shared = sum(
        1
        for _ in itertools.takewhile(lambda pair: pair[0] is pair[1], zip(one, other, strict=False))
    )
    if shared in (len(one), len(other)):
        return None
    turn, attention = one[shared], other[shared]
    if _loops(view, turn) != _loops(view, attention):
        return None
    way = path(use.operation)
    inside = way[:shared] == one[:shared] and len(way) > shared
    return Step(
        site,
        update,
        after,
        use,
        way[shared] if inside else attention,
        turn,
        attention,
        update.number < site.softmax.number,
        tuple(_fed(view.graph, site, update)),
    )


def _is_attended(graph: Graph, site: Site, update: Operation) -> bool:
    """Whether what is attended to comes from the update itself, as in pooling over its outputs."""
    for total in site.sums:
        for index, (_, tensor) in enumerate(total.operation.tensors()):
            if index != total.weights and update in behind(graph, tensor, _ENDS):
                return True
    return False


def _loops(view: View, node: cst.CSTNode) -> list[cst.CSTNode]:
    """The loops around an expression within its function."""
    loops: list[cst.CSTNode] = []
    for outer in view.source.around(node):
        if isinstance(outer, cst.FunctionDef | cst.Lambda):
            loops.clear()
        elif isinstance(outer, cst.For | cst.While | cst.CompFor):
            loops.append(outer)
    return loops


def _fed(graph: Graph, site: Site, update: Operation) -> Iterator[Operation]:
    """The updates that get the context before the step is over: before its update comes again."""
    reached = {total.operation.number for total in site.sums}
    start = min(reached)
    for operation in graph.operations:
        if operation.number <= start:
            continue
        if operation is not update and path(operation) == path(update):
            return
        sources = {tensor.operation for _, tensor in operation.tensors()}
        if not sources & reached:
            continue
        if isinstance(operation.event, Recurrence):
            yield operation
        else:
            reached.add(operation.number)


# -- scores ----------------------------------------------------------------------------------------


def is_additive(view: View, site: Site) -> bool:
    """Whether scores are a product with the tanh of something (Bahdanau's and Luong's concat)."""
    product = site.scores
    if product is None:
        return False
    return any(
        isinstance(made.event, Elementwise) and made.event.symbol == "tanh"
        for _, tensor in product.tensors()
        for made in itertools.islice(behind(view.graph, tensor, (Contraction, Einsum)), 6)
    )
