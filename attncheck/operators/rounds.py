"""What a loop carries from round to round, which keeps its axes.

Rule: jax.lax.scan, jax.lax.fori_loop, jax.lax.while_loop ("carry input and carry output must have
equal types", however many rounds there are).
"""

from __future__ import annotations

from attncheck.algebra.contract import contract
from attncheck.operators.axes import axes_text
from attncheck.operators.call import Call
from attncheck.operators.events import Clash, Fault, Outcome
from attncheck.operators.operands import operand_shape


def carried_on(call: Call) -> Outcome:
    """``x`` as the first round was given it, and ``left`` as it has left it."""
    return Outcome(call.unknown().value, clash=_misfit(call))


def _misfit(call: Call) -> Clash | None:
    given, left = operand_shape(call, "x"), operand_shape(call, "left")
    if given is None or left is None or not given.closed or not left.closed:
        return None
    told = f"carries {given} and leaves {left} after a round"
    if len(given.axes) != len(left.axes):
        return Clash(Fault.RANK, f"{told}: what is carried keeps {axes_text(len(given.axes))}")
    pairs = zip(given.axes, left.axes, strict=True)
    met = (contract(*pair, call.facts, "carried") for pair in pairs)
    wrong = next((each for each in met if each.verdict.clashes), None)
    if wrong is None:
        return None
    text = f"{told}: what is carried keeps its sizes"
    sizes = (wrong.left.size, wrong.right.size)
    return Clash(Fault.AGREEMENT, text, 0, *sizes, wrong.verdict)
