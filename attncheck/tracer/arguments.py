"""The evaluated arguments of one call."""

from __future__ import annotations

from dataclasses import dataclass, field

import libcst as cst

from attncheck.values.value import UNKNOWN, Value


@dataclass(slots=True)
class Arguments:
    """The evaluated arguments of a call.

    ``nodes`` are the positional arguments' expressions (None for spread ones), ``written`` the
    keyword ones'. ``exact`` is False if something unknown was spread into the call: ``spread`` are
    the lists of unknown length among these.
    """

    positional: list[Value]
    keywords: dict[str, Value]
    nodes: list[cst.CSTNode | None]
    written: dict[str, cst.BaseExpression]
    exact: bool = True
    spread: list[Value] = field(default_factory=list)

    def first(self) -> Value:
        """The first positional argument, or UNKNOWN."""
        return self.positional[0] if self.positional else UNKNOWN
