"""Imports: names of library modules and their members, by full name; files of the project.

A module that nobody models and that the project does not have is a `Library` value like any other,
whose members are simply not found. What the project has is not read here.
"""

from __future__ import annotations

import libcst as cst

from attncheck.frameworks.lookup import is_modelled, members
from attncheck.outline import Target
from attncheck.tracer import keras
from attncheck.tracer.machine import Exit, Machine
from attncheck.values.value import Library


def run_import(machine: Machine, node: cst.Import) -> Exit:
    """``import torch.nn.functional as F``."""
    for alias in node.names:
        path = dotted(alias.name)
        if alias.asname is None:
            path = path.partition(".")[0]
        _bind(machine, alias, path, Target(0, path))
    return None


def run_import_from(machine: Machine, node: cst.ImportFrom) -> Exit:
    """``from torch.nn import functional as F``, ``from .layers import Attention``."""
    module = dotted(node.module) if node.module is not None else ""
    level = len(node.relative)
    if isinstance(node.names, cst.ImportStar):
        star = Target(level, module, "*")
        if level == 0 and is_modelled(module.partition(".")[0]):
            for name in (*members(module), *keras.members(module)):
                machine.environment.assign(name, Library(f"{module}.{name}"))
        for name, value in machine.project.public(machine.evidence.file, star):
            machine.environment.assign(name, value)
        return None
    for alias in node.names:
        name = dotted(alias.name)
        _bind(machine, alias, name, Target(level, module, name))
    return None


def _bind(machine: Machine, alias: cst.ImportAlias, name: str, target: Target) -> None:
    if alias.asname is not None and type(alias.asname.name) is cst.Name:
        name = alias.asname.name.value
    machine.environment.assign(name, machine.project.imported(machine.evidence.file, target))


def dotted(node: cst.BaseExpression) -> str:
    """The text of a dotted name."""
    parts = []
    while type(node) is cst.Attribute:
        parts.append(node.attr.value)
        node = node.value
    if type(node) is cst.Name:
        parts.append(node.value)
    return ".".join(reversed(parts))
