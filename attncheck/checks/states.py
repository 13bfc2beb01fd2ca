"""The state of the wrong time step as a query: the report that ATN401 and ATN402 share."""

from __future__ import annotations

import libcst as cst

from attncheck.checks.report import Culprit, Report
from attncheck.checks.steps import Step
from attncheck.checks.view import View
from attncheck.graph import Operation
from attncheck.operators.events import MOVES
from attncheck.rule import Rule
from attncheck.tracer.machine import ShapeSite
from attncheck.tree.pairs import parts
from attncheck.values.tensor import Tensor
from attncheck.values.value import as_tensor


def report(rule: Rule, step: Step, view: View, message: str, derivation: str) -> Report:
    """A report about the query of a step, at the expression that takes the state for it."""
    culprit = _culprit(step, view)
    return Report(
        rule,
        step.update,
        step.node,
        message,
        culprit,
        view.sizes(culprit.tensor),
        derivation,
        function=function_of(view, step.node),
    )


def function_of(view: View, node: cst.CSTNode) -> str:
    """The qualified name of the function that an expression stands in."""
    scopes = (
        outer.name.value
        for outer in view.source.around(node)
        if isinstance(outer, cst.FunctionDef | cst.ClassDef)
    )
    return ".".join(scopes)


def _culprit(step: Step, view: View) -> Culprit:
    """The query by its name: what the state is assigned to on its way, or the state's own name."""
    operation = step.state.operation
    if operation.node is step.node:
        assigned = _assigned(operation, view)
        if assigned is not None:
            return assigned
        if step.state.operand.node is not None:
            return Culprit(step.state.operand.node, step.state.tensor)
    names = names_of(view, function_of(view, step.node), step.state.tensor)
    named = (node for node in parts(step.node) if isinstance(node, cst.Name))
    node = next((node for node in named if node.value in names), step.node)
    return Culprit(node, step.state.tensor)


def _assigned(operation: Operation, view: View) -> Culprit | None:
    """The name that is given to a part of the state: ``query = hidden[-1].unsqueeze(1)``."""
    if not isinstance(operation.event, MOVES):
        return None
    around = view.source.around(operation.node)
    assignment = next((node for node in around if isinstance(node, cst.Assign)), None)
    target = None if assignment is None else assignment.targets[0].target
    if not isinstance(target, cst.Name):
        return None
    for sites, _ in view.sites_in(function_of(view, operation.node)):
        for site in sites:
            tensor = as_tensor(site.value) if site.node is target else None
            if tensor is not None and _is_part(view, tensor, operation):
                return Culprit(target, tensor)
    return None


def _is_part(view: View, tensor: Tensor, operation: Operation) -> bool:
    """Whether a tensor is what an operation gives, at most moved around."""
    made = view.graph.maker(tensor)
    while made is not None and made is not operation and isinstance(made.event, MOVES):
        made = None if made.source is None else view.graph.maker(made.source)
    return made is operation


def names_of(view: View, function: str, tensor: Tensor) -> set[str]:
    """The names that a function has for a tensor."""
    return {
        site.name
        for sites, _ in view.sites_in(function)
        for site in filter(is_named, sites)
        if as_tensor(site.value) is tensor
    }


def is_named(site: ShapeSite) -> bool:
    """Whether a site is a variable."""
    return site.name.isidentifier() and site.name != "return"
