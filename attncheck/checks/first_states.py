"""Attention that asks with the state of before the first step, in every step of a loop.

The decoder starts from the encoder's last state, and carries its own on under another name. Where
attention goes on asking with the first one, every step gets the same context, and no shape shows
it. Additive attention asks with s_{t-1} (Bahdanau et al. 2015, section 3.1), multiplicative
attention with s_t (Luong et al. 2015, section 3): the first state is neither.
"""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from attncheck.checks.carried_states import assigned_in, loop_around
from attncheck.checks.report import Report
from attncheck.checks.states import report
from attncheck.checks.steps import Step, is_additive, steps
from attncheck.checks.view import View
from attncheck.record import record
from attncheck.rule import Rule
from attncheck.tree.pairs import names_within, parts


@record
class FirstState:
    """A step whose query never moves on: the name that it is taken of, and the one carried on."""

    step: Step
    asked: cst.Name
    carried: str


def first_states(rule: Rule, view: View, *, additive: bool) -> Iterator[Report]:
    """A report for each loop whose attention is additive, or is not, and asks with one state."""
    for found in view.once(states_left_behind):
        step = found.step
        if is_additive(view, step.site) is not additive:
            continue
        message = (
            f"`{view.quote(step.attention)}` asks with `{view.quote(step.node)}` in every turn of"
            f" the loop: that is the state that the first step started from, and"
            f" `{found.carried}`, which `{view.quote(step.turn)}` carries on, is never asked with;"
            " every step gets the same context, and nothing raises"
        )
        derivation = f"the state of the step, `{found.carried}`, which changes from turn to turn"
        made = report(rule, step, view, message, derivation)
        made.local = True
        yield made


def states_left_behind(view: View) -> list[FirstState]:
    """The steps of a trace whose queries are the state that a loop started from."""
    return [found for step in steps(view) if (found := _of_step(step, view)) is not None]


def _of_step(step: Step, view: View) -> FirstState | None:
    around = view.source.around(step.turn)
    loop = loop_around(around)
    turn = next((node for node in reversed(around) if isinstance(node, cst.Assign)), None)
    if step.after or loop is None or turn is None or turn.value is not step.turn:
        return None
    if loop not in view.source.around(step.node) or not isinstance(step.turn, cst.Call):
        return None
    given = {name for argument in step.turn.args for name in names_within(argument.value)}
    carried = [
        name.value
        for target in turn.targets
        for name in parts(target.target)
        if isinstance(name, cst.Name) and name.value in given
    ]
    assigned = {name.value for name in assigned_in(loop)}
    asked = [node for node in parts(step.node) if isinstance(node, cst.Name)]
    if not carried or not asked or assigned & {name.value for name in asked}:
        return None
    return FirstState(step, asked[0], carried[0])
