"""Hidden and cell states of an LSTM that take each other's place in the next one.

An LSTM gives the hidden state first and the cell state behind it, one pair for each direction, and
takes them so (Hochreiter and Schmidhuber 1997; ``torch.nn.LSTM``, ``keras.layers.LSTM`` with
``return_state``). All are of one shape, so that nothing raises where they are mixed up on the way.
"""

from __future__ import annotations

from collections.abc import Iterator

from attncheck.checks.report import Culprit, Report
from attncheck.checks.view import View
from attncheck.graph import Operand, Operation
from attncheck.operators.events import Joining, Recurrence
from attncheck.record import record
from attncheck.rule import Rule
from attncheck.values.tensor import Tensor
from attncheck.values.value import Sequence, Value, as_tensor

_WORDS = ("hidden state", "cell state")
#: How many states an LSTM has: the hidden state and the cell state.
_PAIR = 2


@record
class Mixed:
    """States given to an LSTM in the wrong order or joined with each other's kind.

    ``exchanged`` are the two operands that stand in each other's place.
    """

    operation: Operation
    exchanged: tuple[Operand, Operand]
    tensor: Tensor
    joined: bool


def mixed_states(rule: Rule, view: View) -> Iterator[Report]:
    """A report for each pair of states that have changed places on the way to another LSTM."""
    for found in view.once(mixed):
        first, second = (each.node for each in found.exchanged)
        if first is None or second is None:
            continue
        one, other = view.quote(first), view.quote(second)
        what = f"gives `{one}`, a {_WORDS[1]}, for a {_WORDS[0]}, and `{other}` for a {_WORDS[1]}"
        if found.joined:
            what = (
                f"joins a {_WORDS[0]} with `{one}`, a {_WORDS[1]}, to a {_WORDS[0]} of both"
                f" directions; `{other}`, which belongs there, is joined to the {_WORDS[1]}s"
            )
        yield Report(
            rule,
            found.operation,
            found.operation.node,
            f"`{view.quote(found.operation.node)}` {what}: all are of one shape, so nothing raises",
            Culprit(first, found.tensor),
            view.sizes(found.tensor),
            f"`{other}` there, and `{one}` in its place",
            local=True,
        )


def mixed(view: View) -> list[Mixed]:
    """The states of a trace that have changed places on their way to another LSTM."""
    kinds = _kinds(view)
    found: list[Mixed] = []
    for operation in view.graph.operations:
        event = operation.event
        if not kinds or not isinstance(event, Recurrence) or event.kind != "lstm":
            continue
        given = [
            (operand, each) for operand, each in operation.tensors() if operand.name == "state"
        ]
        if len(given) != _PAIR:
            continue
        if [kinds.get(id(tensor)) for _, tensor in given] == [1, 0]:
            if not operation.elsewhere:
                pair = given[0][0], given[1][0]
                found.append(Mixed(operation, pair, given[0][1], joined=False))
            continue
        made = [view.graph.maker(tensor) for _, tensor in given]
        joins = [each for each in made if each is not None and isinstance(each.event, Joining)]
        if len(joins) == _PAIR and joins[0] is not joins[1]:
            found += _across(joins[0], joins[1], kinds)
    return found


def _across(hidden: Operation, cells: Operation, kinds: dict[int, int]) -> Iterator[Mixed]:
    """The two states of two joins that stand in each other's place."""
    if hidden.elsewhere or cells.elsewhere:
        return
    wrong = []
    for join, kind in ((hidden, 0), (cells, 1)):
        told = [(operand, tensor, kinds.get(id(tensor))) for operand, tensor in join.tensors()]
        if any(each is None for _, _, each in told):
            return
        wrong.append([(operand, tensor) for operand, tensor, each in told if each != kind])
    if len(wrong[0]) == len(wrong[1]) == 1:
        (one, tensor), (other, _) = wrong[0][0], wrong[1][0]
        yield Mixed(hidden, (one, other), tensor, joined=True)


def _kinds(view: View) -> dict[int, int]:
    """Which tensors are hidden states (0) and which are cell states (1), by their `id`."""
    kinds: dict[int, int] = {}
    for operation in view.graph.operations:
        event = operation.event
        if isinstance(event, Recurrence) and event.kind == "lstm":
            for place, state in enumerate(_states(operation.output, cell=event.cell)):
                kinds[id(state)] = place % _PAIR
    return kinds


def _states(output: Value, *, cell: bool) -> list[Tensor]:
    """The states that an LSTM gives, hidden and cell state by turns; none if they are not known."""
    items = output.items if type(output) is Sequence else None
    if items is None:
        return []
    if type(items[-1]) is Sequence:
        return _states(items[-1], cell=True)
    tensors = [as_tensor(item) for item in (items if cell else items[1:])]
    known = [tensor for tensor in tensors if tensor is not None]
    return known if len(known) == len(tensors) and len(known) % _PAIR == 0 else []
