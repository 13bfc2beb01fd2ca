"""How long attncheck takes, measured against the libcst calls that it cannot do without."""

import argparse
import gc
import hashlib
import json
import os
import re
import resource
import shlex
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

import libcst
from rich.console import Console
from rich.table import Table
from rich.text import Text

from attncheck.engine import check_source
from attncheck.settings import Settings

TENSOR_LIBRARY = re.compile(
    rb"^\s*(?:from|import)\s+[\w., ]*\b"
    rb"(?:torch|numpy|jax|flax|haiku|equinox|tensorflow|keras|tf_keras|einops)\b",
    re.MULTILINE,
)
ATTENTION = re.compile(rb"softmax|attention|einsum|matmul|\bbmm\b|[\w)\]] @ [\w(]", re.IGNORECASE)
PERCENTILES = (10, 50, 90, 99)


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
class CommandTime:
    """Seconds of one command over several starts."""

    name: str
    cpu_best: float
    cpu_median: float
    wall_best: float
    wall_median: float


def main() -> int:
    """Measures and prints both figures."""
    args = parse_arguments()
    files = chosen_files([*args.paths, *package_folders(args.packages, args.cache)], args.limit)
    if not files:
        print("speed.py: no attention file found", file=sys.stderr)
        return 2
    times, refused = time_files(files, args.repeat)
    if not times:
        print("speed.py: libcst could not parse any of the files", file=sys.stderr)
        return 2
    middle = sorted(times, key=lambda t: t.lines)[len(times) // 2]
    commands = time_commands(shlex.split(args.attncheck), Path(middle.path), args.starts)

    console = Console()
    console.print(files_table(times, refused))
    console.print(slowest_table(times))
    console.print(commands_table(commands, middle))
    if args.json:
        data = {
            "overall": overall_ratio(times),
            "percentiles": ratio_percentiles(times),
            "files": [asdict(t) | {"ratio": t.ratio} for t in times],
            "refused": [str(path) for path in refused],
            "cold_file": middle.path,
            "commands": [asdict(c) for c in commands],
        }
        args.json.write_text(json.dumps(data, indent=1) + "\n", encoding="utf-8")
    return 0


def parse_arguments() -> argparse.Namespace:
    """Reads the command line."""
    cache_home = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    parser = argparse.ArgumentParser(
        description=__doc__, epilog="See benchmarks/README.md for what each figure means."
    )
    add = parser.add_argument
    add("paths", nargs="*", type=Path, metavar="PATH", help="files, or folders to search")
    add("--packages", type=Path, metavar="LIST", help="name==version a line, found in the cache")
    add(
        "--cache",
        type=Path,
        default=Path(cache_home) / "attncheck-bench",
        metavar="DIR",
        help="where packages lie unpacked, under src/ (default: %(default)s)",
    )
    add("--limit", type=int, default=100, metavar="N", help="files; 0 for all (default: 100)")
    add("--repeat", type=int, default=3, metavar="N", help="runs of each file (default: 3)")
    add("--starts", type=int, default=7, metavar="N", help="starts of each command (default: 7)")
    add(
        "--attncheck",
        default=shlex.join([sys.executable, "-m", "attncheck"]),
        metavar="CMD",
        help="the command for the cold start (default: %(default)s)",
    )
    add("--json", type=Path, metavar="OUT", help="write every figure to this file")
    args = parser.parse_args()
    if not args.paths and not args.packages:
        parser.error("give a PATH or --packages LIST")
    for path in args.paths:
        if not path.exists():
            parser.error(f"no such file or folder: {path}")
    if min(args.repeat, args.starts) < 1:
        parser.error("--repeat and --starts must be at least 1")
    return args


def package_folders(package_list: Path | None, cache: Path) -> Iterator[Path]:
    """The unpacked folders of a list of pinned packages."""
    if package_list is None:
        return
    for line in package_list.read_text(encoding="utf-8").splitlines():
        name, pinned, version = line.partition("#")[0].strip().partition("==")
        if not pinned:
            continue
        folder = cache / "src" / f"{name.lower().replace('_', '-')}-{version}"
        if folder.is_dir():
            yield folder
        else:
            print(f"speed.py: not in the cache: {name}=={version}", file=sys.stderr)


def chosen_files(paths: list[Path], limit: int) -> list[Path]:
    """The attention files under the paths, or a sample of them that is the same each time."""
    found = set[Path]()
    for path in paths:
        if path.is_file():
            found.add(path)
        else:
            found.update(file for file in path.rglob("*.py") if is_attention_file(file))
    files = sorted(found, key=lambda file: hashlib.sha1(bytes(file)).hexdigest())
    return sorted(files[:limit] if limit else files)


def is_attention_file(path: Path) -> bool:
    """Whether the file imports a tensor library and mentions attention."""
    if not path.is_file():
        return False
    data = path.read_bytes()
    return bool(ATTENTION.search(data) and TENSOR_LIBRARY.search(data))


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


def time_commands(attncheck: list[str], file: Path, starts: int) -> list[CommandTime]:
    """Times fresh processes in turns, in an empty folder of their own."""
    target = str(file.resolve())
    commands = {
        "import libcst": [sys.executable, "-c", "import libcst"],
        "attncheck FILE": [*attncheck, target],
        "attncheck FILE, cached": [*attncheck, target],
    }
    samples: dict[str, list[tuple[float, float]]] = {name: [] for name in commands}
    with tempfile.TemporaryDirectory() as folder:
        for argv in commands.values():  # fills the caches: the disk's, bytecode, attncheck's own
            run(argv, folder)
        for _ in range(starts):
            for name, argv in commands.items():
                samples[name].append(run(argv, folder))
    return [
        CommandTime(
            name,
            min(cpu for cpu, _ in pairs),
            statistics.median(cpu for cpu, _ in pairs),
            min(wall for _, wall in pairs),
            statistics.median(wall for _, wall in pairs),
        )
        for name, pairs in samples.items()
    ]


def run(argv: list[str], folder: str) -> tuple[float, float]:
    """CPU and wall seconds of one process, which may exit 0 (clean) or 1 (findings)."""
    # An installed package has its bytecode; a checkout gets it in the first, untimed run.
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    start = time.perf_counter()
    process = subprocess.run(
        argv,
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    wall = time.perf_counter() - start
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if process.returncode not in (0, 1):
        sys.exit(f"speed.py: {shlex.join(argv)} exits {process.returncode}:\n{process.stderr}")
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, wall


def overall_ratio(times: list[FileTime]) -> float:
    """The time of all checks over that of all parses."""
    return sum(t.check for t in times) / sum(t.parse for t in times)


def ratio_percentiles(times: list[FileTime]) -> dict[str, float]:
    """How the files' own ratios are spread; each percentile is some file's (nearest rank)."""
    ratios = sorted(t.ratio for t in times)
    spread = {f"p{p}": ratios[-(-p * len(ratios) // 100) - 1] for p in PERCENTILES}
    return spread | {"max": ratios[-1]}


def files_table(times: list[FileTime], refused: list[Path]) -> Table:
    """The check/parse figures."""
    parse, check = sum(t.parse for t in times), sum(t.check for t in times)
    lines = sum(t.lines for t in times)
    statuses = Counter(t.status for t in times)
    table = Table(title="check_source over libcst.parse_module, CPU", show_header=False)
    table.add_row("files", ", ".join(f"{n} {status}" for status, n in statuses.most_common()))
    if refused:
        table.add_row("refused by libcst", str(len(refused)))
    table.add_row("lines", f"{lines:,}")
    table.add_row("parse", f"{parse:.2f} s, {lines / parse:,.0f} lines/s")
    table.add_row("check", f"{check:.2f} s, {lines / check:,.0f} lines/s")
    table.add_row("check / parse", f"{overall_ratio(times):.2f}", style="bold")
    spread = ratio_percentiles(times)
    table.add_row("by file", "  ".join(f"{name} {value:.2f}" for name, value in spread.items()))
    return table


def slowest_table(times: list[FileTime]) -> Table:
    """The files on which the check costs most beside the parse."""
    table = Table("file", "lines", "parse ms", "check ms", "ratio", title="highest ratios")
    for t in sorted(times, key=lambda t: -t.ratio)[:5]:
        parse, check = f"{1000 * t.parse:.1f}", f"{1000 * t.check:.1f}"
        table.add_row(Text(t.path, overflow="fold"), str(t.lines), parse, check, f"{t.ratio:.2f}")
    return table


def commands_table(commands: list[CommandTime], file: FileTime) -> Table:
    """The cold start figures; ratios are of CPU time to the first command's."""
    table = Table("best / median of", "CPU s", "wall s", "CPU ratio")
    table.title = f"cold start, a file of {file.lines} lines"
    base = commands[0]
    for c in commands:
        table.add_row(
            c.name,
            f"{c.cpu_best:.3f} / {c.cpu_median:.3f}",
            f"{c.wall_best:.3f} / {c.wall_median:.3f}",
            f"{c.cpu_best / base.cpu_best:.2f} / {c.cpu_median / base.cpu_median:.2f}",
        )
    return table


if __name__ == "__main__":
    sys.exit(main())
