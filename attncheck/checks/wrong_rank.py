"""An operation that wants another number of axes than its operand has."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from attncheck.checks import plain, stacked_dots
from attncheck.checks.dropped_results import SHAPING, dropped_results
from attncheck.checks.report import Report, Sizes, text_of
from attncheck.checks.view import View
from attncheck.graph import Operation
from attncheck.operators.events import Contraction, Fault, Joining
from attncheck.rule import Rule

RULE = Rule("ATN104", "wrong-rank", "an operation that wants another number of axes", fix="unsafe")
_FAULTS = (Fault.RANK, Fault.AXIS)
ON = (*_FAULTS, Contraction)


def check(operation: Operation, view: View) -> Iterator[Report]:
    """Report a rank that does not fit, an axis that is not there, or a dot of two stacks.

    Joins are told by their own rule.
    """
    if operation.clash is None:
        yield from stacked_dots.over_stacks(RULE, operation, view)
    elif operation.clash.fault in _FAULTS and not isinstance(operation.event, Joining):
        yield from plain.report(RULE, operation, view, *_expected(operation, view))


def _expected(operation: Operation, view: View) -> tuple[Sizes | None, str]:
    """The sizes that the blamed operand should have, where the operation shows them; in words."""
    wanted = _WANTED.get(operation.kind)
    return (None, "") if wanted is None else wanted(operation, view)


def _as_left(operation: Operation, view: View) -> tuple[Sizes | None, str]:
    """The sizes that what is carried has after a round."""
    *_, (_, left) = operation.tensors()
    return view.sizes(left), "as it is after one round, and then before the next"


def check_trace(view: View) -> Iterator[Report]:
    """Report axes that are put in or taken away of what nobody keeps."""
    yield from dropped_results(RULE, view, SHAPING)


def _within(operation: Operation, view: View) -> tuple[Sizes | None, str]:
    """The sizes of an index that gathers no further than there is."""
    clash, tensors = operation.clash, [tensor for _, tensor in operation.tensors()]
    if clash is None or clash.left is None or len(tensors) < 2:
        return None, ""
    sizes, source = view.sizes(tensors[clash.operand]), view.sizes(tensors[0])
    if sizes is None or source is None or len(sizes) != len(source):
        return None, ""
    wanted = tuple(
        have if own == clash.right and have == clash.left else own
        for own, have in zip(sizes, source, strict=True)
    )
    return wanted, f"no longer than {text_of(source)} on any axis but the one that is gathered"


#: What a rank should be, by the name of the operator.
_WANTED: Final = {"gather": _within, "carried_on": _as_left}
