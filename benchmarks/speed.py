"""How long attncheck takes, measured against the libcst calls that it cannot do without."""

import argparse
import json
import os
import shlex
import sys
import tempfile
from dataclasses import asdict
from pathlib import Path

from corpus import copied, is_attention_file, package_folders, python_files
from measure import Best, FileTime, Run, expect, in_turns, run, time_files
from peers import installed
from rich.console import Console
from tables import (
    files_table,
    many_table,
    overall_ratio,
    peers_table,
    ratio_percentiles,
    slowest_table,
    starts_table,
)

from attncheck.cache import FOLDER

PARSE_ALL = """
import gc, pathlib, libcst
gc.disable()
for number, file in enumerate(sorted(pathlib.Path(".").rglob("*.py"))):
    try:
        libcst.parse_module(file.read_bytes())
    except (libcst.ParserSyntaxError, UnicodeError):
        pass
    if number % 32 == 31:
        gc.collect()
"""
#: Runs attncheck and says how much CPU its own process and how much its workers have used.
SPLIT = """
import resource, sys
from attncheck.cli import run
code = run(sys.argv[1:])
for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN):
    used = resource.getrusage(who)
    print(used.ru_utime + used.ru_stime, file=sys.stderr)
sys.exit(code)
"""


def main() -> int:
    """Measures and prints everything."""
    args = parse_arguments()
    paths = [*args.paths, *package_folders(args.packages, args.cache)]
    every = python_files(paths)
    attention = [file for file in every if is_attention_file(file)]
    files = attention[: args.limit] if args.limit else attention
    if not files:
        print("speed.py: no attention file found", file=sys.stderr)
        return 2
    console = Console()
    times, refused = time_files(files, args.repeat)
    if not times:
        print("speed.py: libcst could not parse any of the files", file=sys.stderr)
        return 2
    console.print(files_table(times, refused))
    console.print(slowest_table(times))
    attncheck = shlex.split(args.attncheck)
    with tempfile.TemporaryDirectory() as name:
        scratch = Path(name)
        starts = time_starts(attncheck, times, scratch, args.starts)
        console.print(starts_table(*starts))
        most = (attention + [file for file in every if file not in set(attention)])[: args.many]
        many = time_many(attncheck, most, scratch) if args.many else {}
        if many:
            console.print(many_table(many, len(most), len([f for f in most if f in attention])))
        some = files[: args.peer_files]
        peers = time_peers(attncheck, some, scratch, args.peers) if some else {}
        if peers:
            console.print(peers_table(peers, len(some)))
    if args.json:
        write_json(args.json, times, refused, starts, many, peers)
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
        "--many",
        type=int,
        default=3000,
        metavar="N",
        help="files of the runs with workers and cache; 0 leaves them out (default: 3000)",
    )
    add(
        "--peer-files",
        type=int,
        default=30,
        metavar="N",
        help="files for the other tools; 0 leaves them out (default: 30)",
    )
    add("--peers", type=Path, metavar="DIR", help="where the other tools' commands are")
    add(
        "--attncheck",
        default=shlex.join([sys.executable, "-m", "attncheck"]),
        metavar="CMD",
        help="the command to measure (default: %(default)s)",
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


def time_starts(
    attncheck: list[str], times: list[FileTime], scratch: Path, starts: int
) -> tuple[list[Best], int]:
    """Times fresh processes on a small file, and says how many lines it has."""
    small = sorted(times, key=lambda t: t.lines)[len(times) // 10]
    command = [*attncheck, str(Path(small.path).resolve())]
    (scratch / "pyproject.toml").touch()  # a project, whose cache is its own
    commands = {
        "import libcst": [sys.executable, "-c", "import libcst"],
        "attncheck FILE": ["sh", "-c", f"rm -rf {FOLDER}; exec {shlex.join(command)}"],
        "attncheck FILE, cached": command,
    }
    return in_turns(commands, scratch, starts), small.lines


def time_many(attncheck: list[str], files: list[Path], scratch: Path) -> dict[str, Run]:
    """Runs over a folder with many files: one core, two, and again from the cache."""
    folder = copied(files, scratch / "many")
    cached = [*attncheck, ".", "--quiet", "--output-format", "concise"]
    cached += ["--cache-dir", str(scratch / "cache"), "--jobs", "2"]
    plain = [".", "--quiet", "--output-format", "concise", "--no-cache", "--jobs"]
    commands = {
        "libcst.parse_module": [sys.executable, "-c", PARSE_ALL],
        "one process": [*attncheck, *plain, "1"],
        "two processes": [sys.executable, "-c", SPLIT, *plain, "2"],
        "two, filling the cache": cached,
        "from the cache": cached,
    }
    return {name: expect(run(argv, folder), argv, (0, 1, 2)) for name, argv in commands.items()}


def time_peers(
    attncheck: list[str], files: list[Path], scratch: Path, folder: Path | None
) -> dict[str, Run]:
    """Runs other tools on the same files, one after the other."""
    place = copied(files, scratch / "peers")
    runs = {"attncheck": run([*attncheck, ".", "--no-cache", "--jobs", "1"], place)}
    for name, argv in installed(folder):
        if argv is None:
            print(f"speed.py: {name} is not installed, and left out", file=sys.stderr)
            continue
        run(argv, place)  # brings it from the disk
        runs[name] = run(argv, place)
    return runs


def write_json(
    target: Path,
    times: list[FileTime],
    refused: list[Path],
    starts: tuple[list[Best], int],
    many: dict[str, Run],
    peers: dict[str, Run],
) -> None:
    """Writes every figure to a file."""

    def figures(runs: dict[str, Run]) -> dict[str, dict[str, float]]:
        keys = ("cpu", "wall", "megabytes", "code")
        return {name: {key: getattr(run, key) for key in keys} for name, run in runs.items()}

    data = {
        "overall": overall_ratio(times),
        "percentiles": ratio_percentiles(times),
        "files": [asdict(t) | {"ratio": t.ratio} for t in times],
        "refused": [str(path) for path in refused],
        "starts": {
            each.name: {key: each.best(key) for key in ("cpu", "wall")} for each in starts[0]
        },
        "many": figures(many),
        "peers": figures(peers),
    }
    target.write_text(json.dumps(data, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
