"""Many files: order, workers that die, and errors of our own."""

import os
import signal
import subprocess
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path

import pytest

from attncheck import pool, runner
from attncheck.batch import SEQUENTIAL, check_files
from attncheck.engine import Coverage, FileResult
from attncheck.pool import Pool
from attncheck.runner import Job, check_file
from attncheck.settings import Settings

SETTINGS = Settings()


def fake(data, path, settings, named=True):
    """A check that does what the file says."""
    order = data.decode()
    if order == "die":
        os.kill(os.getpid(), signal.SIGKILL)
    if order == "raise":
        raise ZeroDivisionError("division\nby zero")
    if order == "recurse":
        return fake(data, path, settings)
    if order == "hang":
        time.sleep(600)
    while order in ("spin", "swallow"):
        with suppress(Exception if order == "swallow" else ZeroDivisionError):
            sum(range(1000))
    if order == "eat":
        return [b"x" * 100_000_000 for _ in range(40)]
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
    result = check_file(Job("gone.py", SETTINGS)).result
    assert (result.status, result.reason) == (
        "failed",
        "cannot be read: No such file or directory",
    )
    assert result.findings[0].path == "gone.py"


def test_an_interrupt_ends_the_workers(engine, monkeypatch):
    def interrupt(pool, worker):
        raise KeyboardInterrupt

    monkeypatch.setattr(Pool, "_receive", interrupt)
    started = []
    start = Pool._start

    def note(pool):
        start(pool)
        started.append(pool._workers[-1].process)

    monkeypatch.setattr(Pool, "_start", note)
    with pytest.raises(KeyboardInterrupt):
        check_files(jobs(["a"] * 40), 2)
    assert [process.is_alive() for process in started] == [False, False]


class TestTimeLimit:
    @pytest.mark.parametrize("order", ["spin", "swallow"])
    def test_here(self, engine, order):
        before = signal.getsignal(signal.SIGPROF)
        results = check_files(jobs(["a", order, "b", order]), limit=0.2)
        assert [result.status for result in results] == ["checked", "failed", "checked", "failed"]
        assert results[1].reason == "not checked within 0.2 s, which is the limit for one file"
        assert results[1].findings[0].code == "ATN902"
        assert results[3].path == "3.py"
        assert signal.getsignal(signal.SIGPROF) is before
        assert signal.getitimer(signal.ITIMER_PROF) == (0, 0)

    @pytest.mark.parametrize("order", ["spin", "hang"])
    @pytest.mark.parametrize("hanging", [{0}, {7, 8}, {0, 1, 2, 3, 39}])
    def test_in_workers(self, engine, monkeypatch, order, hanging):
        monkeypatch.setattr(pool, "_WALL", 1 if order == "hang" else 100)
        orders = [order if number in hanging else str(number) for number in range(40)]
        results = check_files(jobs(orders), 3, limit=0.5)
        assert [result.path for result in results] == [f"{number}.py" for number in range(40)]
        for number, result in enumerate(results):
            if number in hanging:
                assert result.reason == "not checked within 0.5 s, which is the limit for one file"
            else:
                assert result.reason == str(number)

    def test_elsewhere_than_in_the_main_thread_there_is_none(self, engine):
        seen = []
        thread = threading.Thread(target=lambda: seen.extend(check_files(jobs(["a"]), limit=9)))
        thread.start()
        thread.join()
        assert [result.reason for result in seen] == ["a"]


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux counts allocations")
def test_a_file_that_eats_memory_fails_alone(engine):
    orders = ["eat" if number == 5 else str(number) for number in range(20)]
    results = check_files(jobs(orders), 2)
    assert results[5].reason == "internal error: MemoryError"
    assert [result.reason for number, result in enumerate(results) if number != 5] == [
        str(number) for number in range(20) if number != 5
    ]


HANGING_RUN = """
import os, sys, time
from attncheck import cli, runner
from attncheck.engine import Coverage, FileResult

def check(data, path, settings, named=True):
    if path in ("0.py", "12.py", "16.py"):  # the first of each worker
        os.write(1, b"working\\n")
        time.sleep(2)
    return FileResult(path, "checked", None, (), Coverage())

runner.check_source = check
sys.exit(cli.run(["--jobs", "3", "."]))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="asks /proc for processes")
@pytest.mark.parametrize(
    ("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, -15), (signal.SIGKILL, -9)]
)
def test_a_run_that_is_ended_leaves_nothing(folder, number, code):
    for index in range(40):
        Path(f"{index}.py").write_text("x = 1\n")
    before = sorted(os.listdir())
    root = Path(runner.__file__).parents[1]
    temporary = folder / "tmp"
    temporary.mkdir()
    process = subprocess.Popen(
        [sys.executable, "-c", HANGING_RUN],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(root), "TMPDIR": str(temporary)},
        start_new_session=True,
    )
    assert [process.stdout.readline() for _ in range(3)] == [b"working\n"] * 3
    assert len(members(process.pid)) == 4
    process.send_signal(number)
    assert process.wait(60) == code
    said = process.stderr.read()
    assert said == (b"attncheck: error: interrupted\n" if number == signal.SIGINT else b"")
    if number != signal.SIGINT:  # a worker whose parent is gone ends when its file is done
        for _ in range(300):
            time.sleep(0.1 if members(process.pid) else 0)
    assert members(process.pid) == []
    assert sorted(os.listdir()) == sorted([*before, "tmp"])
    assert os.listdir(temporary) == []


def members(session):
    """The living processes of a session."""
    found = []
    for entry in os.listdir("/proc"):
        with suppress(OSError, ValueError):
            state, _, _, its_session = (
                Path("/proc", entry, "stat").read_text().rpartition(") ")[2].split()[:4]
            )
            if int(its_session) == session and state != "Z":
                found.append(int(entry))
    return found
