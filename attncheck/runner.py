"""Checks one file, in whichever process: whatever goes wrong with it is its result."""

from __future__ import annotations

import gc
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, TypeVar

from attncheck.checks.file_not_parsed import not_parsed
from attncheck.engine import Coverage, FileResult, ShapeRow, check_source, skipped, trace_shapes
from attncheck.settings import Settings
from attncheck.source import NotChecked, SourceError, paused_gc, read_bytes

if TYPE_CHECKING:
    from attncheck.cache import Keys

T = TypeVar("T")

#: Traces leave cycles behind; collecting them after every file would cost more than they take.
_COLLECT_EVERY: Final = 32


@dataclass(frozen=True, slots=True)
class Job:
    """A file to check. ``data`` is its content where that is not to be read from ``path``."""

    path: str
    settings: Settings
    data: bytes | None = None


@dataclass(frozen=True, slots=True)
class Answer:
    """What came of a job, and the key to keep it under if it follows from the file alone."""

    result: FileResult
    key: bytes | None = None


def check_file(job: Job, keys: Keys | None = None) -> Answer:
    """Check one job; whatever goes wrong is the result."""
    key = None

    def work(data: bytes) -> FileResult:
        nonlocal key
        result = check_source(data, job.path, job.settings)
        key = None if keys is None else keys.key(job.path, job.settings, data)
        return result

    result = _guarded(job, work)
    return Answer(result, key)


def trace_file(job: Job) -> tuple[list[ShapeRow], str | None]:
    """The shapes in one job's file, or none and why that file cannot be traced."""
    with paused_gc():
        result = _guarded(job, lambda data: trace_shapes(data, job.path, job.settings))
    if isinstance(result, FileResult):
        return [], result.reason if result.status == "failed" else None
    return result, None


def failed(path: str, message: str, line: int = 1, column: int = 1) -> FileResult:
    """The result of a file that could not be checked."""
    finding = not_parsed(path, message, line, column)
    return FileResult(path, "failed", message, (finding,), Coverage())


def too_slow(path: str, limit: float) -> FileResult:
    """The result of a file that has used up its time."""
    return failed(path, f"not checked within {limit:g} s, which is the limit for one file")


def check_and_collect(job: Job, done: int, keys: Keys | None) -> Answer:
    """Check a job, the `done`-th of this process, and now and then clean up."""
    answer = check_file(job, keys)
    if done % _COLLECT_EVERY == 0:
        gc.collect()
    return answer


def _guarded(job: Job, work: Callable[[bytes], T]) -> T | FileResult:
    """What `work` makes of a job's bytes; the failure, as a result, if it raises."""
    try:
        return work(read_bytes(job.path) if job.data is None else job.data)
    except OSError as error:
        return failed(job.path, f"cannot be read: {error.strerror}")
    except NotChecked as nothing:
        return skipped(job.path, nothing.reason)
    except SourceError as error:
        return failed(job.path, error.message, error.line, error.column)
    except Exception as error:
        kind = type(error).__name__
        detail = " ".join(str(error).split())
        return failed(job.path, f"internal error: {kind}: {detail}".removesuffix(": "))
