"""Bahdanau's attention is queried with the decoder state before the step (ibid. section 3.1)."""

from __future__ import annotations

from collections.abc import Iterator

from attncheck.checks.declared import declaration
from attncheck.checks.first_states import first_states
from attncheck.checks.report import Report
from attncheck.checks.states import report
from attncheck.checks.steps import Step, steps
from attncheck.checks.view import View
from attncheck.rule import Rule

RULE = Rule(
    "ATN401",
    "bahdanau-post-step",
    "additive attention queried with s_t; it wants s_{t-1}",
    "warning",
    fix="unsafe",
)


def check_trace(view: View) -> Iterator[Report]:
    """Report attention that is said to be Bahdanau's and looks with the state after the update."""
    yield from first_states(RULE, view, additive=True)
    for step in steps(view):
        if not step.after or not step.updated or step.feeds_another:
            continue
        said = declaration(view, step.turn)
        if said is not None and said.paper == "bahdanau":
            yield _report(step, said.clause, view)


def _report(step: Step, clause: str, view: View) -> Report:
    message = (
        f"`{view.quote(step.node)}` scores with the state that `{view.quote(step.turn)}` has just"
        f" made (s_t), though {clause}: Bahdanau's attention looks with the state before the update"
        " (s_{t-1}) for the context that the update then gets; every shape is the same, so nothing"
        " raises"
    )
    derivation = (
        "the same shape, one step earlier: e_ti = v_a·tanh(W_a s_{t-1} + U_a h_i), and then"
        " s_t = f(s_{t-1}, y_{t-1}, c_t)"
    )
    return report(RULE, step, view, message, derivation)
