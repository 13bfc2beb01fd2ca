"""The figures as tables for a terminal."""

from collections import Counter
from pathlib import Path

from measure import Best, FileTime, Run
from rich.table import Table
from rich.text import Text

PERCENTILES = (10, 50, 90, 99)


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


def starts_table(commands: list[Best], lines: int) -> Table:
    """The cold start figures; ratios are of CPU time to the first command's."""
    table = Table("best / median of", "CPU s", "wall s", "CPU ratio")
    table.title = f"one process for one file of {lines} lines"
    base = commands[0]
    for c in commands:
        cpu, base_cpu = (c.best("cpu"), c.median("cpu")), (base.best("cpu"), base.median("cpu"))
        table.add_row(
            c.name,
            f"{cpu[0]:.3f} / {cpu[1]:.3f}",
            f"{c.best('wall'):.3f} / {c.median('wall'):.3f}",
            f"{cpu[0] / base_cpu[0]:.2f} / {cpu[1] / base_cpu[1]:.2f}",
        )
    return table


def many_table(runs: dict[str, Run], files: int, attention: int) -> Table:
    """The runs over many files, and what the second core and the cache bring."""
    table = Table("", "CPU s", "wall s", "largest process MB")
    table.title = f"{files} files, {attention} of them about attention"
    for name, each in runs.items():
        table.add_row(name, f"{each.cpu:.2f}", f"{each.wall:.2f}", f"{each.megabytes:.0f}")
    parse, one, two = (runs[k] for k in ("libcst.parse_module", "one process", "two processes"))
    own, workers = (float(line) for line in two.err.split()[-2:])
    table.add_section()
    table.add_row("one process / parse", f"{one.cpu / parse.cpu:.2f}")
    table.add_row("gain from a second core, by the clock", "", f"{one.wall / two.wall:.2f}")
    # Of the CPU time of two processes, what the parent needs and half of the workers' share.
    free = f"{one.cpu / (own + workers / 2):.2f}"
    table.add_row("the same, were both cores free", "", free)
    return table


def peers_table(runs: dict[str, Run], files: int) -> Table:
    """Other tools on the same files."""
    table = Table("", "CPU s", "ms a file", "wall s", "largest process MB", "exit")
    table.title = f"the same {files} files"
    for name, each in runs.items():
        per_file = f"{1000 * each.cpu / files:.0f}"
        memory = f"{each.megabytes:.0f}"
        table.add_row(name, f"{each.cpu:.2f}", per_file, f"{each.wall:.2f}", memory, str(each.code))
    return table
