"""Running the rules over one trace: each operation goes to the rules that subscribe to its kind."""

from __future__ import annotations

import functools
import importlib
import pkgutil
from collections.abc import Callable, Iterator
from typing import TypeAlias

import attncheck.checks as package
from attncheck.checks.report import Report
from attncheck.checks.view import View
from attncheck.graph import Operation
from attncheck.rule import Rule
from attncheck.settings import Settings

Check: TypeAlias = Callable[[Operation, View], Iterator[Report]]


@functools.cache
def _subscriptions() -> dict[object, tuple[Check, ...]]:
    """The rules by what they look at: an event's class, or a kind of fault."""
    found: dict[object, tuple[Check, ...]] = {}
    for info in pkgutil.iter_modules(package.__path__):
        module = importlib.import_module(f"{package.__name__}.{info.name}")
        for subject in getattr(module, "ON", ()):
            found[subject] = (*found.get(subject, ()), module.check)
    return found


@functools.cache
def _trace_checks() -> tuple[tuple[Rule | None, Callable[[View], Iterator[Report]]], ...]:
    """The rules that look at a trace as a whole, each with the rule that is all it reports."""
    modules = (
        importlib.import_module(f"{package.__name__}.{info.name}")
        for info in pkgutil.iter_modules(package.__path__)
    )
    return tuple(
        (getattr(module, "RULE", None), module.check_trace)
        for module in modules
        if hasattr(module, "check_trace")
    )


def run_checks(view: View, settings: Settings) -> list[Report]:
    """All reports about a trace, in the order of its operations.

    Rules that have to be turned on are only asked where they are. All others always are: what one
    finds may explain what another does.
    """
    subscriptions = _subscriptions()
    reports: list[Report] = []
    for rule, check_trace in _trace_checks():
        if rule is None or rule.default or settings.enables(rule, view.source.path):
            reports += check_trace(view)
    for operation in view.graph.operations:
        if operation.elsewhere:
            continue
        checks = subscriptions.get(type(operation.event), ())
        if operation.clash is not None:
            checks += subscriptions.get(operation.clash.fault, ())
        for check in dict.fromkeys(checks):
            reports += check(operation, view)
    return reports
