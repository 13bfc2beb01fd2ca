"""Luong's attention is queried with the decoder state after the step (ibid. section 3)."""

from __future__ import annotations

from collections.abc import Iterator

from attncheck.checks.declared import declaration
from attncheck.checks.first_states import first_states, states_left_behind
from attncheck.checks.own_cells import own_steps
from attncheck.checks.report import Report
from attncheck.checks.states import report
from attncheck.checks.steps import Step, is_additive, steps
from attncheck.checks.view import View
from attncheck.rule import Rule

RULE = Rule(
    "ATN402",
    "luong-pre-step",
    "multiplicative attention queried with s_{t-1}; it wants s_t",
    "warning",
    fix="unsafe",
)


def check_trace(view: View) -> Iterator[Report]:
    """Report attention that is Luong's and looks with the state from before the update."""
    yield from first_states(RULE, view, additive=False)
    left_behind = [found.step for found in view.once(states_left_behind)]
    for step in steps(view):
        if step.after or step.feeds_another or step in left_behind:
            continue
        said = declaration(view, step.turn)
        if said is not None and said.paper == "luong":
            yield _report(step, f"though {said.clause}", view)
        elif said is None and _is_by_form(step, view):
            yield _report(step, "though it has a new one, and the scores are a product", view)
    for step in own_steps(view):
        said = declaration(view, step.turn)
        if said is not None and said.paper == "luong":
            yield _report(step, f"though {said.clause}", view)


def _is_by_form(step: Step, view: View) -> bool:
    """Whether the new state is there, and the old one is asked all the same, by a product."""
    return step.updated and not step.feeds_update and not is_additive(view, step.site)


def _report(step: Step, why: str, view: View) -> Report:
    message = (
        f"`{view.quote(step.node)}` scores with the state that `{view.quote(step.turn)}` starts"
        f" from (s_{{t-1}}), {why}: Luong's attention looks with the state after the update (s_t),"
        " which then predicts together with the context; every shape is the same, so nothing raises"
    )
    derivation = "the same shape, one step later: score(s_t, h_i), and then W_c [c_t ; s_t]"
    return report(RULE, step, view, message, derivation)
