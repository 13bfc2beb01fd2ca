"""Finding the spelling of a full name, over the tables of all libraries."""

from __future__ import annotations

import functools
import importlib
import importlib.util

from attncheck.frameworks.spelling import Spelling, Table

#: The table modules of each library. A list rather than a walk over the package, so that a frozen
#: or zipped installation finds them as well; a test holds it against the folders.
MODULES = {
    library: (
        "products",
        "elementwise",
        "reductions",
        "shaping",
        "functional",
        "indexing",
        "creation",
        "joining",
        "losses",
        "queries",
    )
    for library in ("torch", "numpy")
}


@functools.cache
def tables() -> tuple[Table, ...]:
    """Every table, imported on first use."""
    found = []
    for library, names in MODULES.items():
        for name in names:
            path = f"attncheck.frameworks.{library}.{name}"
            if importlib.util.find_spec(path) is not None:
                found.append(importlib.import_module(path).TABLE)
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
