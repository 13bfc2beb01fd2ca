"""What following calls costs, and when it is no longer worth it.

A file of models calls the same few functions from many places, each of which would run them again,
with everything that they call. Once a file has cost a good deal and several roots have run a
function, others take from it what it gave before: as many axes, of sizes that nobody knows.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from attncheck.algebra.facts import Facts
from attncheck.tracer.sketches import Sketch, filled, sketch_of
from attncheck.values.value import Function, Value

#: Steps that a file may take before any call is spared; small files are followed everywhere.
FREE_STEPS = 1_500
#: How many roots run a function for themselves.
ROOTS = 2


@dataclass(slots=True)
class _Account:
    roots: set[object] = field(default_factory=set)
    given: Sketch | None = None


@dataclass(slots=True)
class Ledger:
    """The accounts of all functions of one file, and the steps that all traces have taken."""

    steps: int = 0
    saving: bool = True
    _accounts: dict[Function, _Account] = field(default_factory=dict)

    def spared(self, function: Function, root: object) -> Value | None:
        """What a call gives that is not worth running; None for one that is."""
        if not self.saving or self.steps < FREE_STEPS:
            return None
        account = self._accounts.get(function)
        if account is None or len(account.roots) < ROOTS or root in account.roots:
            return None
        return None if account.given is None else filled(account.given, function.name)

    def note(self, function: Function, root: object, result: Value, facts: Facts) -> None:
        """Enter a call that was run."""
        account = self._accounts.setdefault(function, _Account())
        account.roots.add(root)
        account.given = sketch_of(result, facts) or account.given
