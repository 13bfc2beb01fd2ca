"""Checks many files: those that the cache does not know, one after the other or in workers.

Results come in the order of the files, whoever was faster. Every file has a time limit, so that no
file keeps another from being checked.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Final

from attncheck.engine import FileResult
from attncheck.runner import Answer, Checker, Job
from attncheck.source import SourceError, read_bytes

if TYPE_CHECKING:
    from attncheck.cache import Cache, Keys

#: Up to here starting workers costs more than they save.
SEQUENTIAL: Final = 16
#: Seconds of computing that one file may take; the largest files that people write take about one.
LIMIT: Final = 30.0


def check_files(
    jobs: Sequence[Job],
    workers: int | None = None,
    *,
    limit: float = LIMIT,
    cache: Cache | None = None,
    tell: Callable[[int], None] = lambda done: None,
) -> list[FileResult]:
    """Check every job, in at most `workers` processes (None means one a core).

    `limit` is in seconds of computing for one file; `tell` is called with the number of files done
    so far. Never raises for what a file holds; a KeyboardInterrupt ends the workers and goes on,
    and what was done until then is kept in the cache.
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
        keys[number] = job.key(cache.keys, data)
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
    if len(left) > SEQUENTIAL and count > 1:
        from attncheck.pool import Pool

        Pool(jobs, left, take, limit, keys).run(count)
        return
    with Checker(limit, keys) as checker:
        for number in left:
            take(number, checker.check(jobs[number]))


def _cores() -> int:
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # not on this system
        return os.cpu_count() or 1
