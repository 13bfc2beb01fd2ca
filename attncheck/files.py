"""Which files to check: what the user named, and what a folder holds and git does not ignore.

A file that the user names is always in, unless exclusion is forced, as for programs that name every
changed file; a file of a folder is left out only for its name or by an ignore rule. A path that
leads nowhere is listed with the reason, so that no ok is given about it.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from attncheck.record import record
from attncheck.settings import Settings
from attncheck.source import NOTEBOOK

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

STDIN: Final = "-"

#: Folders that hold other people's code, builds or caches.
DEFAULT_EXCLUDES: Final = frozenset(
    {
        ".bzr",
        ".direnv",
        ".eggs",
        ".git",
        ".hg",
        ".ipynb_checkpoints",
        ".mypy_cache",
        ".nox",
        ".pyenv",
        ".pytest_cache",
        ".ruff_cache",
        ".svn",
        ".tox",
        ".venv",
        "__pycache__",
        "__pypackages__",
        "build",
        "dist",
        "node_modules",
        "site-packages",
        "venv",
    }
)


_HERE: Final = os.path.join(os.curdir, "")


@dataclass(slots=True)
class Discovery:
    """What was found; named paths left out, and those that cannot be checked, with the reason.

    ``named`` are those of the files that were not found in a folder.
    """

    files: list[str] = field(default_factory=list)
    named: set[str] = field(default_factory=set)
    skipped: list[tuple[str, str]] = field(default_factory=list)
    problems: list[tuple[str, str]] = field(default_factory=list)


def discover(
    paths: Sequence[str], settings_for: Callable[[str], Settings], *, force_exclude: bool = False
) -> Discovery:
    """The files that `paths` mean, each once, in the order of the paths and then of names.

    `settings_for` gives the settings of a folder, whose exclude patterns apply below it, and with
    `force_exclude` to `paths` themselves.
    """
    discovery = Discovery()
    seen: set[str] = set()
    for path in paths:
        if force_exclude and os.path.exists(path) and _left_out(path, settings_for):
            discovery.skipped.append((path, "excluded"))
            continue
        problem = _add(path, settings_for, discovery, seen)
        if problem is not None:
            discovery.problems.append((path, problem))
    return discovery


def _add(
    path: str, settings_for: Callable[[str], Settings], discovery: Discovery, seen: set[str]
) -> str | None:
    """Add what one path means; says in words why that is nothing."""
    if path == STDIN:
        discovery.named.add(path)
        _once(path, discovery, seen)
        return None
    try:
        mode = os.stat(path).st_mode
    except FileNotFoundError:
        return "no such file or folder"
    except (OSError, ValueError) as error:
        return f"cannot be read: {getattr(error, 'strerror', None) or error}"
    if stat.S_ISDIR(mode):
        return _add_folder(path, settings_for, discovery, seen)
    if not stat.S_ISREG(mode):
        return "not a regular file"
    discovery.named.add(path)
    _once(path, discovery, seen)
    return None


def _left_out(path: str, settings_for: Callable[[str], Settings]) -> bool:
    """Whether the settings leave out a path, or a folder between the working folder and it."""
    if path == STDIN:
        return False
    inside = os.path.relpath(path)
    above = "" if inside.startswith(os.pardir) else os.path.dirname(inside)
    parts = above.split(os.sep) if above else []
    folders = [os.path.join(*parts[:count]) for count in range(1, len(parts) + 1)]
    slash = "/" if os.path.isdir(path) else ""
    return any(
        _excluded(each, mark, settings_for(os.path.dirname(each) or os.curdir))
        for each, mark in (*((folder, "/") for folder in folders), (path, slash))
    )


def _once(path: str, discovery: Discovery, seen: set[str]) -> None:
    key = os.path.abspath(path)
    if key not in seen:
        seen.add(key)
        discovery.files.append(path)


def _add_folder(
    folder: str, settings_for: Callable[[str], Settings], discovery: Discovery, seen: set[str]
) -> str | None:
    walk = _Walk(settings_for)
    count = 0
    for path in walk.files(folder):
        count += 1
        _once(path, discovery, seen)
    discovery.problems += walk.problems
    if count or walk.problems:
        return None
    if walk.left_out:
        return f"no Python file in this folder but {walk.left_out} excluded or ignored by git"
    return "no Python file in this folder"


class _Walk:
    """One walk down a folder; links to folders are not followed, so that it ends."""

    def __init__(self, settings_for: Callable[[str], Settings]) -> None:
        self.settings_for = settings_for
        self.left_out = 0
        self.problems: list[tuple[str, str]] = []

    def files(self, folder: str) -> Iterator[str]:
        """The Python files and notebooks below `folder`."""
        todo = [(folder, _ignores_above(folder))]
        while todo:
            place, ignores = todo.pop()
            try:
                with os.scandir(place) as scan:
                    entries = sorted(scan, key=lambda entry: entry.name)
            except OSError as error:
                self.problems.append((place, f"cannot be read: {error.strerror}"))
                continue
            if any(entry.name == ".gitignore" for entry in entries):
                ignores = (*ignores, _Ignore.read(place))
            settings = self.settings_for(place)
            folders = []
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    if _wanted(entry, "/", settings, ignores):
                        folders.append((entry.path, ignores))
                elif entry.name.endswith((".py", NOTEBOOK)) and _is_file(entry):
                    if _wanted(entry, "", settings, ignores):
                        yield entry.path.removeprefix(_HERE)
                    else:
                        self.left_out += 1
            todo += reversed(folders)


def _wanted(
    entry: os.DirEntry[str], slash: str, settings: Settings, ignores: Sequence[_Ignore]
) -> bool:
    """Whether neither the settings nor git leave out a file, or a folder (slash ``/``)."""
    if _excluded(entry.path, slash, settings):
        return False
    for ignore in reversed(ignores):  # the deepest file has the last word
        verdict = ignore.verdict(entry.path + slash)
        if verdict is not None:
            return not verdict
    return True


def _excluded(path: str, slash: str, settings: Settings) -> bool:
    """Whether the settings leave out a file, or a folder (slash ``/``), by itself."""
    excluded = settings.excluded(path, slash)
    if excluded is None:
        return bool(slash) and os.path.basename(path) in DEFAULT_EXCLUDES
    return excluded


def _is_file(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_file()
    except OSError:  # a link that leads to itself
        return False


@record
class _Ignore:
    """One `.gitignore` file and the folder that it speaks of."""

    folder: str
    spec: GitIgnoreSpec

    @classmethod
    def read(cls, folder: str) -> _Ignore:
        """The ignore file of a folder; one that cannot be read ignores nothing."""
        from pathspec import GitIgnoreSpec

        try:
            with open(os.path.join(folder, ".gitignore"), "rb") as file:
                lines = file.read().decode("utf-8", "replace").splitlines()
            return cls(folder, GitIgnoreSpec.from_lines(lines))
        except (OSError, ValueError):
            return cls(folder, GitIgnoreSpec.from_lines(()))

    def verdict(self, path: str) -> bool | None:
        """Whether it ignores a path (a folder's ends in a slash); None if it does not say."""
        inside = os.path.relpath(path, self.folder).replace(os.sep, "/")
        return self.spec.check_file(inside + "/" * path.endswith("/")).include


def _ignores_above(folder: str) -> tuple[_Ignore, ...]:
    """The ignore files of the folders above, up to the repository's; none if they ignore `folder`.

    Somebody who names an ignored folder wants it checked.
    """
    above = []
    place = os.path.abspath(folder)
    while not os.path.exists(os.path.join(place, ".git")):
        parent = os.path.dirname(place)
        if parent == place:
            return ()  # no repository
        place = parent
        above.append(place)
    ignores = tuple(
        _Ignore.read(place)
        for place in reversed(above)
        if os.path.isfile(os.path.join(place, ".gitignore"))
    )
    here = os.path.abspath(folder) + "/"
    return () if any(ignore.verdict(here) for ignore in ignores) else ignores
