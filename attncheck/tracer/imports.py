"""Imports: names of library modules and their members, by full name.

Only libraries are followed here; a module that nobody models is a `Library` value like any other,
whose members are simply not found.
"""

from __future__ import annotations

import libcst as cst

from attncheck.tracer.builtins import CONSTANTS
from attncheck.tracer.machine import Exit, Machine
from attncheck.values.value import Library, Value


def run_import(machine: Machine, node: cst.Import) -> Exit:
    """``import torch.nn.functional as F``."""
    for alias in node.names:
        path = dotted(alias.name)
        if alias.asname is not None and type(alias.asname.name) is cst.Name:
            machine.environment.assign(alias.asname.name.value, Library(path))
        else:
            first = path.partition(".")[0]
            machine.environment.assign(first, Library(first))
    return None


def run_import_from(machine: Machine, node: cst.ImportFrom) -> Exit:
    """``from torch.nn import functional as F``; names of the project's own modules are unknown."""
    module = dotted(node.module) if node.module is not None else ""
    if isinstance(node.names, cst.ImportStar):
        return None
    for alias in node.names:
        name = dotted(alias.name)
        path = f"{module}.{name}" if not node.relative else f".{module}.{name}"
        target = name
        if alias.asname is not None and type(alias.asname.name) is cst.Name:
            target = alias.asname.name.value
        value: Value = CONSTANTS.get(path, Library(path))
        machine.environment.assign(target, value)
    return None


def dotted(node: cst.BaseExpression) -> str:
    """The text of a dotted name."""
    parts = []
    while type(node) is cst.Attribute:
        parts.append(node.attr.value)
        node = node.value
    if type(node) is cst.Name:
        parts.append(node.value)
    return ".".join(reversed(parts))
