"""Checks many files: one after the other, or, above a few, in worker processes.

Results come in the order of the files, whoever was faster. A worker that dies takes only the file
it was on with it: that file is reported as not checked, and another worker does the rest.
"""

from __future__ import annotations

import gc
import os
import signal
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, TypeVar

from attncheck.checks.file_not_parsed import not_parsed
from attncheck.engine import Coverage, FileResult, ShapeRow, check_source, trace_shapes
from attncheck.settings import Settings
from attncheck.source import SourceError, paused_gc

if TYPE_CHECKING:
    from multiprocessing.connection import Connection
    from multiprocessing.context import ForkContext, SpawnContext
    from multiprocessing.process import BaseProcess

    _Context = ForkContext | SpawnContext

T = TypeVar("T")

#: Up to here starting workers costs more than they save.
SEQUENTIAL: Final = 16
#: Files handed to a worker at a time: few enough to keep all busy to the end.
_BATCH: Final = 4
#: Traces leave cycles behind; collecting them after every file would cost more than they take.
_COLLECT_EVERY: Final = 32


@dataclass(frozen=True, slots=True)
class Job:
    """A file to check. ``data`` is its content where that is not to be read from ``path``."""

    path: str
    settings: Settings
    data: bytes | None = None


def check_files(jobs: Sequence[Job], workers: int | None = None) -> list[FileResult]:
    """Check every job, in at most `workers` processes; None means one a core.

    Never raises for what a file holds; a KeyboardInterrupt ends the workers and goes on.
    """
    count = min(workers or _cores(), -(-len(jobs) // _BATCH))
    if len(jobs) > SEQUENTIAL and count > 1:
        return _Pool(jobs).run(count)
    with paused_gc():
        return [_check_and_collect(job, done) for done, job in enumerate(jobs, 1)]


def check_file(job: Job) -> FileResult:
    """Check one job; whatever goes wrong is the result."""
    return _guarded(job, lambda data: check_source(data, job.path, job.settings))


def trace_file(job: Job) -> tuple[list[ShapeRow], str | None]:
    """The shapes in one job's file, or none and why that file cannot be traced."""
    with paused_gc():
        result = _guarded(job, lambda data: trace_shapes(data, job.path, job.settings))
    if isinstance(result, FileResult):
        return [], result.reason
    return result, None


def failed(path: str, message: str, line: int = 1, column: int = 1) -> FileResult:
    """The result of a file that could not be checked."""
    finding = not_parsed(path, message, line, column)
    return FileResult(path, "failed", message, (finding,), Coverage(0, 0, 0, ()))


def _guarded(job: Job, work: Callable[[bytes], T]) -> T | FileResult:
    """What `work` makes of a job's bytes; the failure, as a result, if it raises."""
    try:
        data = job.data
        if data is None:
            with open(job.path, "rb") as file:
                data = file.read()
        return work(data)
    except OSError as error:
        return failed(job.path, f"cannot be read: {error.strerror}")
    except SourceError as error:
        return failed(job.path, error.message, error.line, error.column)
    except Exception as error:
        kind = type(error).__name__
        detail = " ".join(str(error).split())
        return failed(job.path, f"internal error: {kind}: {detail}".removesuffix(": "))


def _check_and_collect(job: Job, done: int) -> FileResult:
    result = check_file(job)
    if done % _COLLECT_EVERY == 0:
        gc.collect()
    return result


def _cores() -> int:
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # not on this system
        return os.cpu_count() or 1


@dataclass(slots=True, eq=False)
class _Worker:
    """A process, our end of its pipe, and the numbers of the jobs that it still owes."""

    process: BaseProcess
    pipe: Connection
    owed: deque[int] = field(default_factory=deque)


class _Pool:
    """Worker processes that are handed a few jobs at a time and answer one by one."""

    def __init__(self, jobs: Sequence[Job]) -> None:
        self.jobs = jobs
        self.todo = deque(range(len(jobs)))
        self.results: dict[int, FileResult] = {}

    def run(self, count: int) -> list[FileResult]:
        """Check all jobs in `count` processes."""
        from multiprocessing.connection import wait

        context = _context()
        workers = [self._start(context) for _ in range(count)]
        try:
            while len(self.results) < len(self.jobs):
                ready = wait([worker.pipe for worker in workers])
                for worker in [each for each in workers if each.pipe in ready]:
                    if not self._receive(worker):
                        workers.remove(worker)
                        worker.process.join()
                        if self.todo:
                            workers.append(self._start(context))
        finally:
            for worker in workers:
                worker.pipe.close()  # a worker that waits for more ends here
                worker.process.terminate()
                worker.process.join()
        return [self.results[number] for number in range(len(self.jobs))]

    def _start(self, context: _Context) -> _Worker:
        ours, theirs = context.Pipe()
        process = context.Process(target=_work, args=(theirs, self.jobs), daemon=True)
        process.start()
        theirs.close()  # so that its death ends the pipe
        worker = _Worker(process, ours)
        self._hand_out(worker)
        return worker

    def _hand_out(self, worker: _Worker) -> None:
        """Send the next few jobs, or the empty list that tells a worker to end."""
        while self.todo and len(worker.owed) < _BATCH:
            worker.owed.append(self.todo.popleft())
        with suppress(OSError):  # it died; reading from it will say so
            worker.pipe.send(list(worker.owed))

    def _receive(self, worker: _Worker) -> bool:
        """Take one answer from a worker; False if it has ended, by the first job that it owes."""
        try:
            number, result = worker.pipe.recv()
        except (EOFError, OSError):
            if worker.owed:
                number = worker.owed.popleft()
                message = "internal error: the process that checked it died"
                self.results[number] = failed(self.jobs[number].path, message)
            self.todo.extendleft(reversed(worker.owed))
            return False
        worker.owed.remove(number)
        self.results[number] = result
        if not worker.owed:
            self._hand_out(worker)
        return True


def _context() -> _Context:
    """Forking where the system can: the workers then share what is already imported."""
    import multiprocessing

    if "fork" not in multiprocessing.get_all_start_methods():
        return multiprocessing.get_context("spawn")
    import libcst  # noqa: F401  # once, here, and not in every worker

    gc.collect()
    gc.freeze()
    return multiprocessing.get_context("fork")


def _work(pipe: Connection, jobs: Sequence[Job]) -> None:
    """A worker: takes lists of job numbers and answers each with its result."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent ends us
    gc.disable()
    done = 0
    with suppress(EOFError, OSError):  # the parent is gone
        while numbers := pipe.recv():
            for number in numbers:
                done += 1
                pipe.send((number, _check_and_collect(jobs[number], done)))
