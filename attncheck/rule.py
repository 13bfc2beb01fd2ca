"""What a rule is called, and how the rules are found.

A rule is declared in its own file under `attncheck.checks` as ``RULE``; nothing lists them by hand.
Names come first everywhere a person reads or writes a rule; codes are accepted beside them.
"""

from __future__ import annotations

import functools
import importlib
import pkgutil

from attncheck.finding import Severity
from attncheck.record import record


@record
class Rule:
    """A rule's stable code and name, what it finds in one line, and its strongest severity.

    ``fix`` says how far its fixes can be trusted: ``safe``, ``unsafe``, or ``none``.
    """

    code: str
    name: str
    finds: str
    severity: Severity = "error"
    fix: str = "safe"
    since: str = "0.1"
    default: bool = True


@functools.cache
def all_rules() -> tuple[Rule, ...]:
    """Every rule, by code."""
    package = importlib.import_module("attncheck.checks")
    rules = []
    for module in pkgutil.iter_modules(package.__path__):
        rule = getattr(importlib.import_module(f"attncheck.checks.{module.name}"), "RULE", None)
        if rule is not None:
            rules.append(rule)
    return tuple(sorted(rules, key=lambda rule: rule.code))


def find_rule(text: str) -> Rule | None:
    """The rule called `text`, by name or by code in any case, or None."""
    for rule in all_rules():
        if text.lower() == rule.name or text.upper() == rule.code:
            return rule
    return None


def select_rules(selector: str) -> tuple[Rule, ...]:
    """The rules a selector means: a name, a code, a prefix of codes (``ATN1``), or ``ALL``.

    Empty if there is none such.
    """
    return tuple(rule for rule in all_rules() if exactness(selector, rule.code))


def exactness(selector: str, code: str) -> int:
    """How exactly a selector means the rule of a code: 0 not at all, most by its name or code."""
    prefix = selector.upper()
    if prefix == "ALL":
        return 1
    if prefix.startswith("ATN"):  # no name does, and to find one loads all rules
        return len(prefix) * code.startswith(prefix)
    rule = find_rule(selector)
    return len(code) * (rule is not None and rule.code == code)
