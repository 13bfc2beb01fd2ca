"""The patterns of ``match``: which names they bind.

What a name is bound to is not followed; it is unknown from there on, whatever it was before.
"""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

#: Where a pattern holds names that it binds, and where it holds other patterns.
_NAMES = ("name", "rest")
_LISTS = ("patterns", "kwds", "elements")
_PARTS = ("pattern", "value")
_LITERALS = (cst.MatchValue, cst.MatchSingleton)


def captured(pattern: cst.MatchPattern) -> Iterator[cst.Name]:
    """The names that a pattern binds, in order."""
    waiting: list[object] = [pattern]
    while waiting:
        node = waiting.pop(0)
        if isinstance(node, _LITERALS):
            continue
        for part in _NAMES:
            name = getattr(node, part, None)
            if type(name) is cst.Name:
                yield name
        for part in _LISTS:
            listed = getattr(node, part, None)
            waiting += () if listed is None or type(listed) is cst.MaybeSentinel else listed
        waiting += [inner for part in _PARTS if (inner := getattr(node, part, None)) is not None]
