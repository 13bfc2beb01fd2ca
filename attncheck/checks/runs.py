"""What a recurrent layer has put out, followed while its axes stay what they are.

The output is ``(T, B, D*H)`` or ``(B, T, D*H)``, the last states ``(layers*D, B, H)``: of a layer
in both directions (D = 2) the features are ``[forward ; backward]``, and the first axis of the
states is layer 0 forward, layer 0 backward, layer 1 forward, and so on (torch.nn.GRU, "Outputs").
"""

from __future__ import annotations

from collections.abc import Iterator

from attncheck.algebra.size import Size, const
from attncheck.checks.view import View
from attncheck.graph import Operation
from attncheck.operators.events import Elementwise, Permutation
from attncheck.record import record
from attncheck.values.tensor import Tensor
from attncheck.values.value import TRUE, Sequence, as_tensor

_MOST_STEPS = 12
#: The operator whose output and states are laid out so.
_OF_TORCH = "recurrent"


@record
class Run:
    """One call of a recurrent layer: its output, its last states, and its sizes.

    ``layers`` counts each once, ``hidden`` the features of one direction; ``both`` is whether it
    runs in both.
    """

    operation: Operation
    #: None for packed sequences
    output: Tensor | None
    states: tuple[Tensor, ...]
    layers: Size | None
    hidden: Size | None
    both: bool


def runs(view: View) -> Iterator[Run]:
    """The calls of torch's recurrent layers in a trace: other libraries give states otherwise."""
    for operation in view.graph.operations:
        made = operation.output
        if operation.kind != _OF_TORCH or type(made) is not Sequence:
            continue
        both = any(
            each.name == "bidirectional" and each.value == TRUE for each in operation.operands
        )
        output, last = made.items or (made, made)
        values = last.items or () if type(last) is Sequence else (last,)
        states = tuple(tensor for value in values if (tensor := as_tensor(value)) is not None)
        sizes = view.sizes(states[0]) if states else None
        if sizes is not None and len(sizes) > 1:
            layers = sizes[0] if sizes[0] is None or not both else sizes[0] // const(2)
            yield Run(operation, as_tensor(output), states, layers, sizes[-1], both)


def is_output(view: View, run: Run, tensor: Tensor) -> bool:
    """Whether a tensor is the output of a run, at most with its axes in another order.

    Element by element it may have been changed, as by dropout or a residual connection.
    """
    followed: Tensor | None = tensor
    for _ in range(_MOST_STEPS):
        if followed is None or followed is run.output:
            break
        made = view.graph.maker(followed)
        moved = made is not None and isinstance(made.event, Permutation | Elementwise)
        followed = made.source if made is not None and moved else None
    return followed is not None and followed is run.output


def are_one(left: Tensor, right: Tensor) -> bool:
    """Whether two tensors certainly are one: an argument, or what one operation, or round, made."""
    if left is right:
        return True
    made = left.made_by & right.made_by
    return bool(made - {None})


def is_many(size: Size | None) -> bool:
    """Whether there are certainly several layers, by a number or a default."""
    number = None if size is None else size.evaluate()
    return number is not None and number > 1


def features(run: Run) -> Size | None:
    """How many features the output has."""
    return None if run.hidden is None else run.hidden * const(2 if run.both else 1)
