"""The statements of a block, looked at without running them: those inside compound ones too.

What nested functions and classes hold is theirs and is not listed.
"""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

_PARTS = ("body", "orelse", "finalbody")
_LISTS = ("handlers", "cases")


def simple_statements(block: cst.CSTNode) -> Iterator[cst.CSTNode]:
    """Every simple statement of a block, in no certain order."""
    waiting: list[cst.CSTNode] = [block]
    while waiting:
        node = waiting.pop()
        if isinstance(node, cst.SimpleStatementLine | cst.SimpleStatementSuite):
            yield from node.body
        elif type(node) is cst.IndentedBlock:
            waiting += node.body
        elif not isinstance(node, cst.FunctionDef | cst.ClassDef):
            parts = [getattr(node, name, None) for name in _PARTS]
            for name in _LISTS:
                parts += getattr(node, name, ())
            waiting += [part for part in parts if isinstance(part, cst.CSTNode)]
