"""Finding the spelling of a full name, over the tables of all libraries."""

from __future__ import annotations

import functools
import importlib

from attncheck.frameworks.spelling import Spelling, Table

#: The table modules of each library: no walk over the folders, which costs more at start-up than
#: importing them; a test holds the list against the folders.
_SHARED = (
    "products",
    "elementwise",
    "reductions",
    "shaping",
    "indexing",
    "creation",
    "joining",
    "queries",
)
MODULES = {"torch": (*_SHARED, "functional", "losses"), "numpy": _SHARED}


@functools.cache
def tables() -> tuple[Table, ...]:
    """Every table, imported on first use."""
    found = []
    for library, names in MODULES.items():
        for name in names:
            module = importlib.import_module(f"attncheck.frameworks.{library}.{name}")
            found.append(module.TABLE)
    return tuple(found)


@functools.cache
def spellings() -> dict[str, Spelling]:
    """Every spelling by its full name."""
    merged: dict[str, Spelling] = {}
    for table in tables():
        merged.update(table.spellings)
    return merged


@functools.cache
def _properties() -> frozenset[str]:
    return frozenset().union(*(table.properties for table in tables()))


def find(path: str) -> Spelling | None:
    """The spelling of a full name (``torch.Tensor.bmm``), or None if it is not modelled."""
    return spellings().get(path)


def is_property(path: str) -> bool:
    """Whether a full name is read like an attribute: ``numpy.ndarray.T``."""
    return path in _properties()
