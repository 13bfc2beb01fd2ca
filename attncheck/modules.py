"""Where the imports of a project lead: from dotted names to files, without looking into any.

Python's own search is followed as far as a folder of source code allows: a package's folder or file
before a folder without ``__init__``, names relative to the importing file, and absolute ones from
the folders that are likely to be on the path when the project runs. Nothing is found outside these,
and no installed package but the one that the checked file itself belongs to.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from typing import Final

#: Folders that installed packages lie in beside one another.
_INSTALLED: Final = frozenset({"site-packages", "dist-packages"})
#: What marks the top folder of a project.
_MARKERS: Final = ("pyproject.toml", "setup.py", "setup.cfg", ".git")
#: How far up that folder is looked for.
_MOST_UP: Final = 4
_INIT: Final = "__init__.py"


class Modules:
    """The files that imports of one project lead to, seen from one of its files."""

    def __init__(self, path: str) -> None:
        folder = os.path.dirname(os.path.abspath(path))
        self._package: str | None = None
        while os.path.isfile(os.path.join(folder, _INIT)) and os.path.dirname(folder) != folder:
            folder, self._package = os.path.split(folder)
        #: the folders that absolute names start from, the nearest first
        self.roots = [folder]
        if os.path.basename(folder) not in _INSTALLED:
            self._package = None
            self.roots = list(dict.fromkeys(_roots(folder)))
        self._top = os.path.join(os.path.realpath(min(self.roots, key=len)), "")
        #: files that imports would have led to, had they been there
        self.missed: set[str] = set()
        self._tops: dict[str, str | None] = {}
        self._known: dict[tuple[str, str], str | None] = {}

    def relative(self, importer: str, level: int, name: str) -> str | None:
        """What ``from ..name import`` means in the file `importer`: a file or a folder, or None."""
        folder = os.path.dirname(importer)
        for _ in range(level - 1):
            folder = os.path.dirname(folder)
        return self.below(folder, name)

    def absolute(self, name: str) -> str | None:
        """The file or folder that a dotted name means; None if it is no module of the project."""
        first, _, rest = name.partition(".")
        if first not in self._tops:
            self._tops[first] = self._find_top(first)
        top = self._tops[first]
        return self.below(top, rest) if top is not None and rest else top

    def dotted(self, path: str) -> str:
        """The full name of a file or folder that was found; empty if it is below no root."""
        root = next((root for root in self.roots if path.startswith(os.path.join(root, ""))), None)
        if root is None:
            return ""
        name = os.path.relpath(path, root).removesuffix(".py").replace(os.sep, ".")
        return name.removesuffix(".__init__")

    def has(self, name: str) -> bool:
        """Whether the project has the top-level module that an absolute name starts with."""
        return self.absolute(name.partition(".")[0]) is not None

    def below(self, place: str, name: str) -> str | None:
        """The module that a dotted name means below a package, its ``__init__`` or a folder."""
        folder = os.path.dirname(place) if os.path.basename(place) == _INIT else place
        key = (folder, name)
        if key not in self._known:
            self._known[key] = self._find(folder, name.split(".") if name else ())
        return self._known[key]

    def _find_top(self, name: str) -> str | None:
        if self._package not in (None, name) or name in sys.stdlib_module_names:
            return None
        return next(filter(None, (self.below(root, name) for root in self.roots)), None)

    def _find(self, folder: str, names: Sequence[str]) -> str | None:
        place = os.path.join(folder, *names)
        for found in (os.path.join(place, _INIT), *([f"{place}.py"] if names else [])):
            if os.path.isfile(found):
                break
            self.missed.add(found)
        else:
            found = place
            if not os.path.isdir(place):
                return None
        return found if self._is_inside(found) else None

    def _is_inside(self, path: str) -> bool:
        """Whether a path, with all links followed, is in the project."""
        return os.path.join(os.path.realpath(path), "").startswith(self._top)


def _roots(folder: str) -> Iterator[str]:
    """The folder that a file's own imports start from, and those above it in the project.

    Tests and scripts import the package beside them, in a folder of the project or in its ``src``.
    """
    above = [folder]
    for _ in range(_MOST_UP):
        if any(os.path.exists(os.path.join(above[-1], marker)) for marker in _MARKERS):
            break
        above.append(os.path.dirname(above[-1]))
    else:
        above = [folder]
    for place in above:
        yield place
        yield os.path.join(place, "src")
