"""Results of earlier runs, found again by content: one SQLite file that any number of runs share.

A result is kept under a hash of everything it rests on: the file's bytes and place, the settings,
this tool's own code, Python's and libcst's versions. The other files of the project that it rests
on are kept with it, and looked at again before it is used. No time stamps, so a fresh checkout in
CI finds what the last one left. The cache is never a reason to fail: what cannot be read, written
or understood is a result that is not there. Rows are JSON, which cannot run code when it is read.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable, Mapping
from contextlib import closing, suppress
from dataclasses import replace
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, Final

from attncheck import __version__, finding
from attncheck.engine import Coverage, FileResult, as_given
from attncheck.record import record
from attncheck.settings import Settings
from attncheck.source import SourceError, read_bytes

if TYPE_CHECKING:
    from sqlite3 import Connection

FOLDER: Final = ".attncheck_cache"
_FILE: Final = "results-1.sqlite3"
#: What marks the top of a project.
_PROJECT_MARKS: Final = ("pyproject.toml", ".git", ".hg")

_TABLE: Final = (
    "CREATE TABLE IF NOT EXISTS results"
    " (key BLOB PRIMARY KEY, day INTEGER NOT NULL, value BLOB NOT NULL) WITHOUT ROWID"
)
_DAY: Final = 24 * 60 * 60
#: Days after which a result that no run has asked for is dropped.
_KEPT: Final = 30
#: Seconds to wait for another run that is writing.
_PATIENCE: Final = 5.0
_CHECK_SIZE: Final = 8

_CLASSES: Final = {
    each.__name__: each
    for each in (
        FileResult,
        Coverage,
        finding.Cell,
        finding.DecidedAt,
        finding.Edit,
        finding.ExpectedPart,
        finding.Finding,
        finding.FixPart,
        finding.Refused,
        finding.Span,
        finding.TensorPart,
        finding.TraceStep,
    )
}
#: The key under which JSON has the class of an object; no field has an empty name.
_CLASS: Final = ""


@record
class Keys:
    """Makes the key of a result. ``root`` is the folder that paths are told from, if any."""

    tool: bytes
    root: str

    @classmethod
    def below(cls, root: str) -> Keys:
        """The keys of this version of the tool for the files below a folder."""
        return cls(_tool(), root)

    def key(self, path: str, settings: Settings, data: bytes, *, strict: bool = False) -> bytes:
        """The key of what checking `data` as the file at `path` gives.

        `strict` says that a file is parsed although there is nothing to trace in it.
        """
        ignored = [rules for patterns, rules in settings.per_file_ignores if patterns.verdict(path)]
        # What decides which files are checked, or is only shown, does not change a result.
        said = replace(settings, per_file_ignores=(), exclude=(), said=(), files=())
        parts = (self.tool, self.inside(path), repr(said), ignored, strict, _digest(data))
        return blake2b(repr(parts).encode("utf-8", "surrogatepass"), digest_size=16).digest()

    def inside(self, path: str) -> str:
        """A path as it is kept: told from the root where it lies below."""
        absolute = os.path.abspath(path)
        top = os.path.join(self.root, "")
        return absolute.removeprefix(top) if self.root else absolute

    def outside(self, kept: str) -> str:
        """The path that was kept."""
        return os.path.join(self.root, kept)


class Cache:
    """The results kept in a folder. Opened only to read or to write, never in between."""

    def __init__(self, folder: str, root: str) -> None:
        self.keys = Keys.below(root)
        self._folder = folder
        self._file = os.path.join(folder, _FILE)
        self._today = int(time.time()) // _DAY
        self._met: list[bytes] = []
        self._digests: dict[str, str] = {}
        self._there: dict[str, bool] = {}

    @classmethod
    def here(cls, folder: str | None = None) -> Cache:
        """The cache of the project around the working folder, or the one in `folder`.

        Outside a project that is the user's own cache, so that no folder is littered.
        """
        root = _project(os.getcwd())
        if folder is None:
            folder = os.path.join(root, FOLDER) if root else _users_folder()
        return cls(os.path.abspath(folder), root)

    def load(self, wanted: Mapping[bytes, str]) -> dict[bytes, FileResult]:
        """The results that are known, of those whose keys and paths are wanted."""
        found: dict[bytes, FileResult] = {}

        def look_up(connection: Connection) -> None:
            for key, path in wanted.items():
                row = connection.execute(
                    "SELECT day, value FROM results WHERE key = ?", (key,)
                ).fetchone()
                result = None if row is None else self._result(row[1], path)
                if result is not None:
                    found[key] = result
                    if row[0] != self._today:
                        self._met.append(key)

        if os.path.isfile(self._file):
            self._use(look_up)
        return found

    def save(self, results: Mapping[bytes, FileResult]) -> None:
        """Keep results under their keys, and forget those that nobody asks for any more."""
        if not results and not self._met:
            return
        rows = [(key, self._today, self._value(result)) for key, result in results.items()]

        def write(connection: Connection) -> None:
            connection.execute(_TABLE)
            connection.executemany("INSERT OR REPLACE INTO results VALUES (?, ?, ?)", rows)
            touched = [(self._today, key) for key in self._met]
            connection.executemany("UPDATE results SET day = ? WHERE key = ?", touched)
            connection.execute("DELETE FROM results WHERE day < ?", (self._today - _KEPT,))
            connection.commit()

        with suppress(OSError):
            _make_folder(self._folder)
            self._use(write)

    def _use(self, work: Callable[[Connection], None]) -> None:
        """Do something with the database; whatever SQLite has against it ends that."""
        try:
            import sqlite3
        except ImportError:  # a Python built without it
            return
        try:
            with closing(sqlite3.connect(self._file, timeout=_PATIENCE)) as connection:
                work(connection)
        except sqlite3.OperationalError:
            pass  # locked, or not to be read or written: this run goes without
        except sqlite3.DatabaseError:
            with suppress(OSError):  # no database any more: the next run starts afresh
                os.unlink(self._file)

    def _value(self, result: FileResult) -> bytes:
        """A result as it is kept, with the digests of the files it rests on in front."""
        followed = {self.keys.inside(path): self._file_digest(path) for path in result.followed}
        missed = tuple(map(self.keys.inside, result.missed))
        findings = tuple(replace(each, path="") for each in result.findings)
        kept = (followed, replace(result, path="", findings=findings, followed=(), missed=missed))
        text = json.dumps(kept, default=_fields, separators=(",", ":")).encode()
        return blake2b(text, digest_size=_CHECK_SIZE).digest() + text

    def _result(self, value: object, path: str) -> FileResult | None:
        """What was kept, for the file at `path`; None if it does not hold, or is damaged."""
        if not isinstance(value, bytes):
            return None
        text = value[_CHECK_SIZE:]
        if blake2b(text, digest_size=_CHECK_SIZE).digest() != value[:_CHECK_SIZE]:
            return None
        try:
            followed, result = json.loads(text, object_hook=_made)
            paths = {self.keys.outside(kept): digest for kept, digest in followed.items()}
            missed = tuple(map(self.keys.outside, result.missed))
            if any(self._file_digest(other) != digest for other, digest in paths.items()):
                return None
            if any(map(self._exists, missed)):
                return None
            findings = tuple(replace(each, path=path) for each in result.findings)
            known = (result.status, result.reason, findings, result.coverage)
        except (ValueError, TypeError, KeyError, AttributeError):
            return None
        return FileResult(path, *known, as_given(paths, path), missed)

    def _exists(self, path: str) -> bool:
        if path not in self._there:
            self._there[path] = os.path.isfile(path)
        return self._there[path]

    def _file_digest(self, path: str) -> str:
        """The digest of a file's bytes as this run sees them; empty if it has none to show."""
        if path not in self._digests:
            try:
                self._digests[path] = _digest(read_bytes(path)).hex()
            except (OSError, SourceError):
                self._digests[path] = ""
        return self._digests[path]


def _fields(value: object) -> dict[str, Any]:
    name = type(value).__name__
    names = _CLASSES[name].__dataclass_fields__
    return {_CLASS: name, **{field: getattr(value, field) for field in names}}


def _made(table: dict[str, Any]) -> object:
    """The object that JSON has as a table; one without a class is a table."""
    name = table.pop(_CLASS, None)
    if name is None:
        return table
    return _CLASSES[name](**{field: _tuples(value) for field, value in table.items()})


def _tuples(value: Any) -> Any:
    return tuple(map(_tuples, value)) if isinstance(value, list) else value


def _digest(data: bytes) -> bytes:
    return blake2b(data, digest_size=16).digest()


def _tool() -> bytes:
    """A digest of all that makes results but the checked files and the settings.

    The tool's own code is read rather than its version, which stays the same while it is worked on;
    the rules are found by walking it. libcst may come to read what it refused before.
    """
    from importlib.util import find_spec

    hasher = blake2b(f"{__version__} {sys.version}".encode(), digest_size=16)
    package = os.path.dirname(__file__)
    for folder, folders, names in os.walk(package):
        folders.sort()
        for name in sorted(names):
            if name.endswith(".py"):
                hasher.update(_content(os.path.join(folder, name)))
    libcst = find_spec("libcst")
    if libcst is not None and libcst.origin is not None:
        hasher.update(_content(os.path.join(os.path.dirname(libcst.origin), "_version.py")))
    return hasher.digest()


def _content(path: str) -> bytes:
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError:
        return b""


def _project(folder: str) -> str:
    """The innermost folder around `folder` that a project starts in, or ``""``."""
    while True:
        if any(os.path.exists(os.path.join(folder, mark)) for mark in _PROJECT_MARKS):
            return folder
        parent = os.path.dirname(folder)
        if parent == folder:
            return ""
        folder = parent


def _users_folder() -> str:
    from platformdirs import user_cache_dir

    return user_cache_dir("attncheck", appauthor=False)


def _make_folder(folder: str) -> None:
    """Make the folder, and let git and backups ignore it; one that is there is left as it is."""
    try:
        os.makedirs(folder)
    except FileExistsError:
        return
    notes = {
        ".gitignore": "# Made by attncheck\n*\n",
        "CACHEDIR.TAG": "Signature: 8a477f597d28d172789f06886806bc55\n",
    }
    for name, text in notes.items():
        with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
            file.write(text)
