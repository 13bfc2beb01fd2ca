"""Time and memory of calls in this process, and of whole commands."""

import gc
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import libcst

from attncheck.engine import check_source
from attncheck.settings import Settings

#: A process is charged with the memory of the one that starts it, so a small one does.
_START = """
import os, sys, time
start = time.perf_counter()
pid = os.spawnvp(os.P_NOWAIT, sys.argv[1], sys.argv[1:])
_, status, used = os.wait4(pid, 0)
wall = time.perf_counter() - start
cpu = used.ru_utime + used.ru_stime
code = os.waitstatus_to_exitcode(status)
print(f"\\n{cpu} {wall} {used.ru_maxrss} {code}", file=sys.stderr)
"""


@dataclass(frozen=True)
class FileTime:
    """The best CPU seconds of one file."""

    path: str
    lines: int
    status: str
    parse: float
    check: float

    @property
    def ratio(self) -> float:
        """How many parses the check costs."""
        return self.check / self.parse


@dataclass(frozen=True)
class Run:
    """One process with its workers: CPU and wall seconds, and the memory of the largest of them."""

    cpu: float
    wall: float
    megabytes: float
    code: int
    out: str
    err: str


@dataclass(frozen=True)
class Best:
    """The best and the median of several runs of one command."""

    name: str
    runs: tuple[Run, ...]

    def best(self, what: str) -> float:
        """The smallest ``cpu`` or ``wall``."""
        return min(getattr(run, what) for run in self.runs)

    def median(self, what: str) -> float:
        """The median of ``cpu`` or ``wall``."""
        return statistics.median(getattr(run, what) for run in self.runs)


def time_files(files: list[Path], repeat: int) -> tuple[list[FileTime], list[Path]]:
    """Times parse and check of each file in turns; also returns what libcst refuses."""
    settings = Settings()
    # The first check imports what later ones find loaded.
    check_source(files[0].read_bytes(), str(files[0]), settings)
    times, refused = [], []
    gc.disable()
    for path in files:
        data = path.read_bytes()
        sides: list[Callable[[], object]] = [
            lambda data=data: libcst.parse_module(data),
            lambda data=data, path=path: check_source(data, str(path), settings),
        ]
        try:
            libcst.parse_module(data)
        except (libcst.ParserSyntaxError, UnicodeError):
            refused.append(path)
            continue
        status = str(check_source(data, str(path), settings).status)
        best = [float("inf"), float("inf")]
        for turn in range(repeat):
            for side in (0, 1) if turn % 2 == 0 else (1, 0):
                best[side] = min(best[side], cpu_seconds(sides[side]))
                # Outside the measured time: trees are full of cycles, and memory is finite.
                gc.collect()
        times.append(FileTime(str(path), data.count(b"\n") + 1, status, *best))
    gc.enable()
    return times, refused


def cpu_seconds(call: Callable[[], object]) -> float:
    """CPU seconds of the call, without the time to throw its result away."""
    start = time.process_time()
    result = call()
    seconds = time.process_time() - start
    del result
    return seconds


def in_turns(commands: Mapping[str, Sequence[str]], folder: Path, starts: int) -> list[Best]:
    """Runs the commands in turns, after one untimed run of each that fills every cache."""
    runs: dict[str, list[Run]] = {name: [] for name in commands}
    for argv in commands.values():
        expect(run(argv, folder), argv)
    for _ in range(starts):
        for name, argv in commands.items():
            runs[name].append(expect(run(argv, folder), argv))
    return [Best(name, tuple(each)) for name, each in runs.items()]


def run(argv: Sequence[str], folder: Path) -> Run:
    """Runs one command to its end."""
    # An installed package has its bytecode; a checkout gets it in the first run.
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    out, err = folder / "stdout.txt", folder / "stderr.txt"
    with out.open("wb") as out_file, err.open("wb") as err_file:
        subprocess.run(
            [sys.executable, "-I", "-S", "-c", _START, *argv],
            cwd=folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=out_file,
            stderr=err_file,
            check=True,
        )
    *said, told = err.read_text(errors="replace").splitlines() or [""]
    cpu, wall, memory, code = map(float, told.split())
    # Linux counts kilobytes, macOS bytes.
    megabytes = memory / (1_000_000 if sys.platform == "darwin" else 1_000)
    return Run(cpu, wall, megabytes, int(code), out.read_text(errors="replace"), "\n".join(said))


def expect(done: Run, argv: Sequence[str], codes: Sequence[int] = (0, 1)) -> Run:
    """The run itself, unless it has failed."""
    if done.code not in codes:
        sys.exit(f"speed.py: {' '.join(argv[:6])} exits {done.code}:\n{done.err[:2000]}")
    return done
