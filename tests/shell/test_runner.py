"""Many files: order, workers that die, and errors of our own."""

import os
import signal

import pytest

from attncheck import runner
from attncheck.engine import Coverage, FileResult
from attncheck.runner import SEQUENTIAL, Job, check_file, check_files
from attncheck.settings import Settings

SETTINGS = Settings()


def fake(data, path, settings):
    """A check that does what the file says."""
    order = data.decode()
    if order == "die":
        os.kill(os.getpid(), signal.SIGKILL)
    if order == "raise":
        raise ZeroDivisionError("division\nby zero")
    if order == "recurse":
        return fake(data, path, settings)
    return FileResult(path, "checked", order, (), Coverage(os.getpid(), 0, 0, ()))


@pytest.fixture
def engine(monkeypatch):
    monkeypatch.setattr(runner, "check_source", fake)


def jobs(orders):
    return [Job(f"{i}.py", SETTINGS, data=order.encode()) for i, order in enumerate(orders)]


def test_few_files_are_checked_here(engine):
    results = check_files(jobs(["a"] * SEQUENTIAL), 4)
    assert {result.coverage.functions for result in results} == {os.getpid()}


def test_many_files_are_checked_in_workers_and_stay_in_order(engine):
    orders = [str(number) for number in range(100)]
    results = check_files(jobs(orders), 3)
    assert [result.reason for result in results] == orders
    assert [result.path for result in results] == [f"{number}.py" for number in orders]
    workers = {result.coverage.functions for result in results}
    assert os.getpid() not in workers
    assert len(workers) <= 3


def test_one_job_at_a_time_if_told_so(engine):
    results = check_files(jobs(["a"] * 40), 1)
    assert {result.coverage.functions for result in results} == {os.getpid()}


@pytest.mark.parametrize("deaths", [{0}, {20}, {0, 1, 2, 3}, {39}, set(range(40))])
def test_a_worker_that_dies_takes_one_file_with_it(engine, deaths):
    orders = ["die" if number in deaths else "live" for number in range(40)]
    results = check_files(jobs(orders), 3)
    assert [result.path for result in results] == [f"{number}.py" for number in range(40)]
    failed = {number for number, result in enumerate(results) if result.status == "failed"}
    assert failed == deaths
    for number in deaths:
        (finding,) = results[number].findings
        assert finding.code == "ATN902"
        assert finding.message == "internal error: the process that checked it died"


@pytest.mark.parametrize(
    ("order", "message"),
    [
        ("raise", "internal error: ZeroDivisionError: division by zero"),
        ("recurse", "internal error: RecursionError: maximum recursion depth exceeded"),
    ],
)
def test_an_error_of_ours_is_one_line(engine, order, message):
    (result,) = check_files(jobs([order]))
    assert result.status == "failed"
    assert result.reason.startswith(message)
    assert result.findings[0].message == result.reason
    assert "\n" not in result.reason


def test_a_file_that_cannot_be_read(folder):
    result = check_file(Job("gone.py", SETTINGS))
    assert (result.status, result.reason) == (
        "failed",
        "cannot be read: No such file or directory",
    )
    assert result.findings[0].path == "gone.py"


def test_an_interrupt_ends_the_workers(engine, monkeypatch):
    def interrupt(pool, worker):
        raise KeyboardInterrupt

    monkeypatch.setattr(runner._Pool, "_receive", interrupt)
    started = []
    start = runner._Pool._start

    def note(pool, context):
        worker = start(pool, context)
        started.append(worker.process)
        return worker

    monkeypatch.setattr(runner._Pool, "_start", note)
    with pytest.raises(KeyboardInterrupt):
        check_files(jobs(["a"] * 40), 2)
    assert [process.is_alive() for process in started] == [False, False]
