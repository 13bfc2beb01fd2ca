"""Worker processes that check many files.

A worker that dies takes only the file it was on with it; one that does not come back is killed.
That file is reported as not checked, and another worker does the rest. Workers end with the pool,
and, should this process be killed, by themselves: each holds only its own end of its own pipe.
"""

from __future__ import annotations

import gc
import os
import signal
import time
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from multiprocessing import get_all_start_methods, get_context
from multiprocessing.connection import wait
from typing import TYPE_CHECKING, Final

from attncheck.runner import Answer, Checker, Job, failed, too_slow

if TYPE_CHECKING:
    from multiprocessing.connection import Connection
    from multiprocessing.context import ForkContext, SpawnContext
    from multiprocessing.process import BaseProcess

    from attncheck.cache import Keys

    _Context = ForkContext | SpawnContext

#: Files handed to a worker at a time: few enough to keep all busy to the end.
_BATCH: Final = 4
#: How many times its limit a file may take by the clock on the wall: machines are shared.
_WALL: Final = 4
#: Bytes that a worker may allocate. One that needs more has met a file that nobody wrote.
_MOST_MEMORY: Final = 2_000_000_000


@dataclass(slots=True, eq=False)
class _Worker:
    """A process, our end of its pipe, the numbers of the jobs that it still owes, and since when.

    ``since`` is when it began with the first of them.
    """

    process: BaseProcess
    pipe: Connection
    since: float
    owed: deque[int] = field(default_factory=deque)


class Pool:
    """Worker processes that are handed a few jobs at a time and answer one by one."""

    def __init__(
        self,
        jobs: Sequence[Job],
        numbers: Sequence[int],
        take: Callable[[int, Answer], None],
        limit: float,
        keys: Keys | None,
    ) -> None:
        self._jobs = jobs
        self._todo = deque(numbers)
        self._take = take
        self._limit = limit
        self._patience = limit * _WALL
        self._keys = keys
        self._workers: list[_Worker] = []
        self._context = _context()

    def run(self, count: int) -> None:
        """Check all jobs in `count` processes, and give each answer to `take`."""
        try:
            for _ in range(count):
                if self._todo:
                    self._start()
            while self._workers:
                self._wait()
        finally:
            for worker in self._workers:
                worker.pipe.close()  # a worker that waits for more ends here
                worker.process.terminate()
                worker.process.join()

    def _wait(self) -> None:
        """Wait for answers, or for the time of the worker that is longest at its file to end."""
        since = min(worker.since for worker in self._workers)
        patience = max(since + self._patience - time.monotonic(), 0)
        ready = wait([worker.pipe for worker in self._workers], patience)
        now = time.monotonic()
        for worker in list(self._workers):
            if worker.pipe in ready:
                if not self._receive(worker):
                    self._replace(worker, "internal error: the process that checked it died")
            elif now - worker.since >= self._patience:
                worker.process.kill()
                self._replace(worker, None)

    def _start(self) -> None:
        ours, theirs = self._context.Pipe()
        forks = self._context.get_start_method() == "fork"
        inherited = [*(worker.pipe for worker in self._workers), ours] if forks else []
        process = self._context.Process(
            target=_work, args=(theirs, inherited, self._jobs, self._limit, self._keys), daemon=True
        )
        process.start()
        theirs.close()  # so that its death ends the pipe
        worker = _Worker(process, ours, time.monotonic())
        self._workers.append(worker)
        self._hand_out(worker)

    def _hand_out(self, worker: _Worker) -> None:
        """Send the next few jobs, or the empty list that tells a worker to end."""
        while self._todo and len(worker.owed) < _BATCH:
            worker.owed.append(self._todo.popleft())
        worker.since = time.monotonic()
        with suppress(OSError):  # it died; reading from it will say so
            worker.pipe.send(list(worker.owed))

    def _receive(self, worker: _Worker) -> bool:
        """Take one answer from a worker; False if it has ended instead."""
        try:
            number, answer = worker.pipe.recv()
        except (EOFError, OSError):
            return False
        worker.owed.remove(number)
        worker.since = time.monotonic()
        self._take(number, answer)
        if not worker.owed:
            self._hand_out(worker)
        return True

    def _replace(self, worker: _Worker, death: str | None) -> None:
        """Take leave of a worker that has ended; the first job that it owes is what ended it."""
        self._workers.remove(worker)
        worker.pipe.close()
        worker.process.join()
        if worker.owed:
            number = worker.owed.popleft()
            path = self._jobs[number].path
            result = too_slow(path, self._limit) if death is None else failed(path, death)
            self._take(number, Answer(result))
        self._todo.extendleft(reversed(worker.owed))
        if self._todo:
            self._start()


def _context() -> _Context:
    """Forking where the system can: the workers then share what is already imported."""
    if "fork" not in get_all_start_methods():
        # A new interpreter would look for its modules among the checked files first.
        os.environ["PYTHONSAFEPATH"] = "1"
        return get_context("spawn")
    import attncheck.findings  # noqa: F401  # once, here, and not in every worker

    gc.collect()
    gc.freeze()
    return get_context("fork")


def _work(
    pipe: Connection,
    inherited: Sequence[Connection],
    jobs: Sequence[Job],
    limit: float,
    keys: Keys | None,
) -> None:
    """A worker: takes lists of job numbers and answers each with its result."""
    for other in inherited:
        other.close()  # held by several processes, a pipe would not end with the parent
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent ends us
    _limit_memory()
    with Checker(limit, keys) as checker, suppress(EOFError, OSError):  # the parent is gone
        while numbers := pipe.recv():
            for number in numbers:
                pipe.send((number, checker.check(jobs[number])))


def _limit_memory() -> None:
    """Let an allocation fail, and with it one file, before the machine runs out of memory."""
    try:
        import resource
    except ImportError:  # not on this system
        return
    _, most = resource.getrlimit(resource.RLIMIT_DATA)
    limit = _MOST_MEMORY if most == resource.RLIM_INFINITY else min(_MOST_MEMORY, most)
    with suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_DATA, (limit, most))
