"""Checks many files: those that the cache does not know, one after the other or in workers.

Results come in the order of the files, whoever was faster. Every file has a time limit, so that no
file keeps another from being checked.
"""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from types import FrameType
from typing import TYPE_CHECKING, Final

from attncheck.engine import FileResult
from attncheck.runner import Answer, Job, check_and_collect, too_slow
from attncheck.source import SourceError, paused_gc, read_bytes

if TYPE_CHECKING:
    from attncheck.cache import Cache, Keys

#: Up to here starting workers costs more than they save.
SEQUENTIAL: Final = 16
#: Seconds that one file may take; the largest files that people write take about one.
LIMIT: Final = 30.0
#: Windows has no alarm to interrupt this process with.
_HAS_ALARM: Final = hasattr(signal, "setitimer")


def check_files(
    jobs: Sequence[Job],
    workers: int | None = None,
    *,
    limit: float = LIMIT,
    cache: Cache | None = None,
    tell: Callable[[int], None] = lambda done: None,
) -> list[FileResult]:
    """Check every job, in at most `workers` processes (None means one a core).

    `limit` is in seconds for one file; `tell` is called with the number of files done so far. Never
    raises for what a file holds; a KeyboardInterrupt ends the workers and goes on, and what was
    done until then is kept in the cache.
    """
    known = {} if cache is None else _known(jobs, cache)
    left = [number for number in range(len(jobs)) if number not in known]
    answers: dict[int, Answer] = {}

    def take(number: int, answer: Answer) -> None:
        answers[number] = answer
        tell(len(known) + len(answers))

    try:
        _check(jobs, left, take, workers, limit, None if cache is None else cache.keys)
    finally:
        if cache is not None:
            done = answers.values()
            cache.save({each.key: each.result for each in done if each.key is not None})
    return [
        known[number] if number in known else answers[number].result for number in range(len(jobs))
    ]


def _known(jobs: Sequence[Job], cache: Cache) -> dict[int, FileResult]:
    """The results that earlier runs have left, by the number of the job."""
    keys: dict[int, bytes] = {}
    for number, job in enumerate(jobs):
        try:
            data = read_bytes(job.path) if job.data is None else job.data
        except (OSError, SourceError):
            continue
        keys[number] = cache.keys.key(job.path, job.settings, data)
    found = cache.load({key: jobs[number].path for number, key in keys.items()})
    return {number: found[key] for number, key in keys.items() if key in found}


def _check(
    jobs: Sequence[Job],
    left: Sequence[int],
    take: Callable[[int, Answer], None],
    workers: int | None,
    limit: float,
    keys: Keys | None,
) -> None:
    """Check the jobs whose numbers are left, here or in workers."""
    count = min(workers or _cores(), len(left))
    if left and (not _HAS_ALARM or (len(left) > SEQUENTIAL and count > 1)):
        from attncheck.pool import Pool

        Pool(jobs, left, take, limit, keys).run(count)
        return
    with paused_gc(), _alarm() as after:
        for done, number in enumerate(left, 1):
            try:
                after(limit)
                answer = check_and_collect(jobs[number], done, keys)
                after(0)
            except _OutOfTime:
                answer = Answer(too_slow(jobs[number].path, limit))
            take(number, answer)


class _OutOfTime(BaseException):
    """Raised in the midst of a file; no ``except Exception`` on the way is to take it for its own.

    Only a worker can be stopped inside a library that does not return: libcst's parser is bounded
    by what `attncheck.source` lets through to it.
    """


@contextmanager
def _alarm() -> Iterator[Callable[[float], object]]:
    """Gives a function that sets after how many seconds `_OutOfTime` is raised; 0 is never."""
    if threading.current_thread() is not threading.main_thread():
        yield lambda seconds: None  # only the main thread can be interrupted
        return

    def ring(number: int, frame: FrameType | None) -> None:
        raise _OutOfTime

    before = signal.signal(signal.SIGALRM, ring)
    try:
        yield lambda seconds: signal.setitimer(signal.ITIMER_REAL, seconds)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def _cores() -> int:
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # not on this system
        return os.cpu_count() or 1
