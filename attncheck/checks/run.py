"""Running the rules over one trace: each operation goes to the rules that subscribe to its kind."""

from __future__ import annotations

import functools
import importlib
import pkgutil
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Final, TypeAlias

import attncheck.checks as package
from attncheck.checks.report import Report
from attncheck.checks.view import View
from attncheck.graph import Operation
from attncheck.rule import Rule
from attncheck.settings import Settings

Check: TypeAlias = Callable[[Operation, View], Iterator[Report]]


#: The codes of the rules about shapes alone come before this one.
_SHAPES_END: Final = "ATN3"


def is_about_shapes(rule: Rule) -> bool:
    """Whether all that a rule needs to know of a trace are its shapes."""
    return rule.code < _SHAPES_END


def _modules(shapes_only: bool) -> Iterator[ModuleType]:
    """The modules of the rules; of several rules if they are no one rule's own."""
    for info in pkgutil.iter_modules(package.__path__):
        module = importlib.import_module(f"{package.__name__}.{info.name}")
        rule = getattr(module, "RULE", None)
        if rule is None or not shapes_only or is_about_shapes(rule):
            yield module


@functools.cache
def _subscriptions(shapes_only: bool) -> dict[object, tuple[Check, ...]]:
    """The rules by what they look at: an event's class, or a kind of fault."""
    found: dict[object, tuple[Check, ...]] = {}
    for module in _modules(shapes_only):
        for subject in getattr(module, "ON", ()):
            found[subject] = (*found.get(subject, ()), module.check)
    return found


@functools.cache
def _trace_checks(
    shapes_only: bool,
) -> tuple[tuple[Rule | None, Callable[[View], Iterator[Report]]], ...]:
    """The rules that look at a trace as a whole, each with the rule that is all it reports."""
    return tuple(
        (getattr(module, "RULE", None), module.check_trace)
        for module in _modules(shapes_only)
        if hasattr(module, "check_trace")
    )


def run_checks(view: View, settings: Settings, *, shapes_only: bool = False) -> list[Report]:
    """All reports about a trace, in the order of its operations.

    Rules that have to be turned on are only asked where they are. All others always are: what one
    finds may explain what another does. But of `shapes_only` no others need be.
    """
    subscriptions = _subscriptions(shapes_only)
    reports: list[Report] = []
    for rule, check_trace in _trace_checks(shapes_only):
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
