"""Checks again whenever something that matters changes, until the user has had enough.

What has not changed comes from the cache, so the whole of what was asked for is reported each time.
Needs watchfiles, which only those who watch have to install.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from typing import Final

from attncheck.files import DEFAULT_EXCLUDES
from attncheck.record import record
from attncheck.source import NOTEBOOK

#: What a run reads besides the files that it checks.
_SETTINGS: Final = ("pyproject.toml", "attncheck.toml", ".gitignore")
#: Milliseconds after which the watcher looks up; also how long it takes to begin.
_LOOK_UP: Final = 250
#: Wipes the screen and what has scrolled out of it.
_CLEAR: Final = "\x1b[H\x1b[2J\x1b[3J"


def watch(paths: Sequence[str], check: Callable[[], None]) -> None:
    """Call `check` now and after every change below `paths`; returns when interrupted.

    Raises ImportError without watchfiles.
    """
    scope = _Scope.of(paths)
    try:
        changes = scope.changes()
        next(changes)  # from here on no change is missed
        while True:
            if sys.stdout.isatty():
                sys.stdout.write(_CLEAR)
            check()
            sys.stdout.flush()
            print("attncheck: watching for changes, Ctrl-C ends this", file=sys.stderr)
            while not next(changes):
                pass
    except KeyboardInterrupt:
        return


@record
class _Scope:
    """What is watched: files, by way of their folders since editors replace them, and folders."""

    files: frozenset[str]
    folders: tuple[str, ...]

    @classmethod
    def of(cls, paths: Sequence[str]) -> _Scope:
        absolute = [os.path.realpath(path) for path in paths]
        folders = tuple(path for path in absolute if os.path.isdir(path))
        return cls(frozenset(absolute) - {*folders}, folders)

    def changes(self) -> Iterator[bool]:
        """Whether something that matters has changed since the last time, ever and again."""
        from watchfiles import watch as changes

        parents = {os.path.dirname(path) for path in self.files}
        for changed in changes(
            *self.folders,
            *parents,
            watch_filter=lambda change, path: self.matters(path),
            recursive=bool(self.folders),
            rust_timeout=_LOOK_UP,
            yield_on_timeout=True,
            raise_interrupt=True,
        ):
            yield bool(changed)

    def matters(self, path: str) -> bool:
        """Whether a change of a path can change what a run says."""
        name = os.path.basename(path)
        if path in self.files or (name in _SETTINGS and not self.folders):
            return True
        if not name.endswith((".py", NOTEBOOK)) and name not in _SETTINGS:
            return False
        for folder in self.folders:
            inside = path.removeprefix(os.path.join(folder, ""))
            if inside != path and DEFAULT_EXCLUDES.isdisjoint(inside.split(os.sep)):
                return True
        return False
