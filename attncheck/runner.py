"""Checks one file, in whichever process: whatever goes wrong with it is its result."""

from __future__ import annotations

import gc
import signal
import threading
from collections.abc import Callable
from contextlib import ExitStack
from types import FrameType, TracebackType
from typing import TYPE_CHECKING, Final, TypeVar

from attncheck.checks.file_not_parsed import not_parsed
from attncheck.engine import Coverage, FileResult, ShapeRow, check_source, skipped, trace_shapes
from attncheck.record import record
from attncheck.settings import Settings
from attncheck.source import NotChecked, SourceError, mentions_tensors, paused_gc, read_bytes

if TYPE_CHECKING:
    from attncheck.cache import Keys

T = TypeVar("T")

#: Traces leave cycles behind; collecting them after every file would cost more than they take.
_COLLECT_EVERY: Final = 32


@record
class Job:
    """A file to check. ``data`` is its content where that is not to be read from ``path``.

    ``named`` says that the user has named the file, and not a folder around it.
    """

    path: str
    settings: Settings
    data: bytes | None = None
    named: bool = True

    def key(self, keys: Keys, data: bytes) -> bytes:
        """The key of what checking the file gives if it holds `data`."""
        strict = self.named and not mentions_tensors(data)
        return keys.key(self.path, self.settings, data, strict=strict)


@record
class Answer:
    """What came of a job, and the key to keep it under if it follows from the file alone."""

    result: FileResult
    key: bytes | None = None


class Checker:
    """Checks one file after the other in this process, none for longer than `limit` seconds.

    They are seconds of computing, so that a busy machine fails no file. Entered, it holds the
    garbage collector and the signal of the clock; only the main thread can be interrupted.
    """

    def __init__(self, limit: float, keys: Keys | None) -> None:
        self._limit = limit
        self._keys = keys
        self._done = 0
        self._stack = ExitStack()
        self._set_clock: Callable[[float], object] = lambda seconds: None

    def __enter__(self) -> Checker:
        self._stack.enter_context(paused_gc())
        on_main_thread = threading.current_thread() is threading.main_thread()
        if hasattr(signal, "setitimer") and on_main_thread:  # Windows has no such clock
            before = signal.signal(signal.SIGPROF, _ring)
            self._stack.callback(signal.signal, signal.SIGPROF, before)
            self._set_clock = lambda seconds: signal.setitimer(signal.ITIMER_PROF, seconds)
            self._stack.callback(self._set_clock, 0)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._stack.close()

    def check(self, job: Job) -> Answer:
        """Check one job; whatever goes wrong is the result."""
        try:
            self._set_clock(self._limit)
            answer = check_file(job, self._keys)
            self._set_clock(0)
        except _OutOfTime:
            answer = Answer(too_slow(job.path, self._limit))
        self._done += 1
        if self._done % _COLLECT_EVERY == 0:
            gc.collect()
        return answer


class _OutOfTime(BaseException):
    """Raised in the midst of a file; no ``except Exception`` on the way is to take it for its own.

    A library that does not return is not interrupted: `attncheck.pool` kills its process.
    """


def _ring(number: int, frame: FrameType | None) -> None:
    raise _OutOfTime


def check_file(job: Job, keys: Keys | None = None) -> Answer:
    """Check one job; whatever goes wrong is the result."""
    key = None

    def work(data: bytes) -> FileResult:
        nonlocal key
        result = check_source(data, job.path, job.settings, named=job.named)
        key = None if keys is None else job.key(keys, data)
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
