"""Imports: names of library modules and their members, by full name; files of the project.

A module that nobody models and that the project does not have is a `Library` value like any other,
whose members are simply not found. What the project has is `Imported`: no file is read here.
"""

from __future__ import annotations

import libcst as cst

from attncheck.frameworks.lookup import is_modelled
from attncheck.tracer.builtins import CONSTANTS
from attncheck.tracer.machine import Exit, Machine
from attncheck.values.value import Imported, Library, Value


def run_import(machine: Machine, node: cst.Import) -> Exit:
    """``import torch.nn.functional as F``."""
    for alias in node.names:
        path = dotted(alias.name)
        renamed = alias.asname is not None and type(alias.asname.name) is cst.Name
        if not renamed:
            path = path.partition(".")[0]
        found = _find(machine, 0, path)
        value: Value = Library(path) if found is None else Imported(found)
        machine.environment.assign(_target(alias, path), value)
    return None


def run_import_from(machine: Machine, node: cst.ImportFrom) -> Exit:
    """``from torch.nn import functional as F``, ``from .layers import Attention``."""
    module = dotted(node.module) if node.module is not None else ""
    found = _find(machine, len(node.relative), module)
    if isinstance(node.names, cst.ImportStar):
        for name, value in machine.project.public(found) if found is not None else ():
            machine.environment.assign(name, value)
        return None
    for alias in node.names:
        name = dotted(alias.name)
        path = f"{module}.{name}" if not node.relative else f".{module}.{name}"
        if found is None:
            value = CONSTANTS.get(path, Library(path))
        else:
            value = _member(machine, found, name)
        machine.environment.assign(_target(alias, name), value)
    return None


def _find(machine: Machine, level: int, name: str) -> str | None:
    """The project's module of that name; one that is modelled as a library stays one."""
    if not level and is_modelled(name.partition(".")[0]):
        return None
    return machine.project.find(machine.evidence.file, level, name)


def _member(machine: Machine, path: str, name: str) -> Value:
    """What ``from`` takes out of a module: by itself a package has but its own files to give."""
    own = machine.project.of_package(machine.evidence.file, path, name)
    return Imported(path, name) if own is None else own


def _target(alias: cst.ImportAlias, name: str) -> str:
    """The name that an import binds."""
    if alias.asname is not None and type(alias.asname.name) is cst.Name:
        return alias.asname.name.value
    return name


def dotted(node: cst.BaseExpression) -> str:
    """The text of a dotted name."""
    parts = []
    while type(node) is cst.Attribute:
        parts.append(node.attr.value)
        node = node.value
    if type(node) is cst.Name:
        parts.append(node.value)
    return ".".join(reversed(parts))
