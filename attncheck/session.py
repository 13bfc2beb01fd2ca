"""What the commands do, from paths and options to printed text and an exit code.

The one place that puts discovery, runner and reports together; it knows nothing of how options are
spelled. A `Failure` is the one line to end with.
"""

from __future__ import annotations

import os
import sys
from contextlib import nullcontext, redirect_stdout
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final

from attncheck.configuration.finder import SettingsFinder
from attncheck.report import (
    EXIT_CLEAN,
    EXIT_FAILED,
    Run,
    closing_line,
    exit_code,
    printable,
    statistics,
)
from attncheck.report.screen import Screen, complain
from attncheck.settings import Overrides, SettingsError, nearest
from attncheck.work import Work

if TYPE_CHECKING:
    from attncheck.baseline import Baseline
    from attncheck.cache import Cache
    from attncheck.report.text import Line
    from attncheck.settings import Settings

COMMANDS: Final = ("check", "shapes", "explain", "rules", "dims", "config")


class Failure(Exception):
    """What ends a command with one line on standard error and exit code 2."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """The options of all commands; each command reads those that it has.

    ``color`` is ``auto``, ``always`` or ``never``; ``output_format`` ``full``, ``concise``,
    ``text`` or ``json``; ``jobs`` None is one a core; ``timeout`` is in seconds a file.
    """

    overrides: Overrides = field(default_factory=Overrides)
    config: Path | None = None
    no_config: bool = False
    stdin_filename: str | None = None
    force_exclude: bool = False
    color: str = "auto"
    output_format: str = "full"
    output_file: Path | None = None
    exit_zero: bool = False
    quiet: bool = False
    statistics: bool = False
    jobs: int | None = None
    timeout: float | None = None
    no_cache: bool = False
    cache_dir: Path | None = None
    fix: bool = False
    unsafe_fixes: bool = False
    diff: bool = False
    baseline: Path | None = None
    write_baseline: bool = False


_DEFAULTS: Final = Options()
#: Formats for people; each of the others stands alone, for a program to read.
_TEXTS: Final = ("full", "concise")
#: Formats whose module is called otherwise.
_MODULES: Final = {"full": "text", "json": "json_"}


def check(paths: list[str], options: Options = _DEFAULTS) -> int:
    """Check files and folders, make or show fixes, print the report; the exit code."""
    _agree(options)
    known = _baseline(options)
    work = _work(paths, options)
    from attncheck.batch import check_files
    from attncheck.report.progress import Bar

    with Bar(len(work.jobs), wanted=not options.quiet) as bar:
        results = check_files(
            work.jobs,
            options.jobs,
            limit=_limit(options),
            cache=_cache(options),
            tell=bar.show,
        )
    for result in results:
        # With ATN902 switched off no finding says so, and the exit code must not go unexplained.
        if result.status == "failed" and not result.findings:
            complain(f"{result.path}: {result.reason}")
    done = Run(tuple(results), tuple(work.skipped), tuple(work.problems))
    try:
        if options.diff:
            return _show_fixes(done, work, options, known)
        if options.fix:
            return _make_fixes(done, work, options, known)
        return _finish(done, work, options, known)
    except OSError as error:
        if options.output_file is None:
            raise
        raise Failure(f"{options.output_file}: cannot be written: {error.strerror}") from None


def _agree(options: Options) -> None:
    """Refuse options that make no sense together."""
    formatted = options.output_format != "full" or options.statistics
    changes = options.fix or options.diff
    for wrong, message in (
        (options.fix and options.diff, "--fix makes changes, --diff shows them: choose one"),
        (options.unsafe_fixes and not changes, "--unsafe-fixes goes with --fix or --diff"),
        (
            options.diff and formatted,
            "--diff takes the place of a report: leave out --output-format and --statistics",
        ),
        (
            options.write_baseline and options.baseline is None,
            "--write-baseline has to know where: add --baseline FILE",
        ),
        (options.write_baseline and changes, "--write-baseline excludes --fix and --diff"),
    ):
        if wrong:
            raise Failure(message)


def _finish(done: Run, work: Work, options: Options, known: Baseline | None) -> int:
    """Print the report; the exit code."""
    if known is not None:
        if options.write_baseline:
            _write_baseline(known, done, work)
        done = known.applied(done, work.lines, work.settings)
    _report(done, work, options)
    return exit_code(done, exit_zero=options.exit_zero)


def _baseline(options: Options) -> Baseline | None:
    if options.baseline is None:
        return None
    from attncheck.baseline import Baseline, BaselineError

    try:
        return Baseline.read(options.baseline, required=not options.write_baseline)
    except BaselineError as error:
        raise Failure(str(error)) from None


def _write_baseline(known: Baseline, done: Run, work: Work) -> None:
    try:
        known.write(done, work.lines, work.settings)
    except OSError as error:
        raise Failure(f"{known.file}: cannot be written: {error.strerror}") from None


def _make_fixes(done: Run, work: Work, options: Options, known: Baseline | None) -> int:
    """Make the fixes, print the report of what is left; the exit code.

    What came from standard input goes, fixed, to standard output, and the report beside it.
    """
    from attncheck.mending import Choice, make

    choice = Choice(known, options.unsafe_fixes, _limit(options))
    done, whole = make(done, work, choice)
    piped = [job for job in work.jobs if job.data is not None]
    for job in piped:
        sys.stdout.flush()
        sys.stdout.buffer.write(work.data(job.path))
        sys.stdout.buffer.flush()
    aside = redirect_stdout(sys.stderr) if piped else nullcontext()
    with aside:
        code = _finish(done, work, options, known)
    return code if whole else EXIT_FAILED


def _show_fixes(done: Run, work: Work, options: Options, known: Baseline | None) -> int:
    """Print what the fixes would change; the exit code, which is that of the report."""
    from attncheck.mending import Choice, show

    if known is not None:
        done = known.applied(done, work.lines, work.settings)
    screen = Screen.open(options.color, options.output_file)
    choice = Choice(known, options.unsafe_fixes, _limit(options))
    closing = show(done, work, choice, screen)
    if not options.quiet:
        print(closing, file=sys.stderr)
    return exit_code(done, exit_zero=options.exit_zero)


def watch(paths: list[str], options: Options = _DEFAULTS) -> int:
    """Check files and folders now and after every change, until interrupted; the exit code."""
    from attncheck.watch import watch

    for path in paths:
        if not os.path.exists(path):
            raise Failure(f"--watch needs files and folders that exist, which {path} does not")

    def again() -> None:
        try:
            check(paths, options)
        except (Failure, SettingsError) as error:
            complain(str(error))  # the next change may mend it

    try:
        watch(paths, again)
    except ImportError:
        wanted = "pip install 'attncheck[watch]'"
        raise Failure(f"--watch needs the package watchfiles: {wanted}") from None
    return 0


def shapes(paths: list[str], options: Options = _DEFAULTS) -> int:
    """Print the traced shapes of files and folders; the exit code."""
    work = _work(paths, options)
    from attncheck.report import margin
    from attncheck.runner import trace_file

    traced = [(job, *trace_file(job)) for job in work.jobs]
    failures = [f"{job.path}: {failure}" for job, _, failure in traced if failure is not None]
    for message in failures:
        complain(message)
    screen = Screen.open(options.color)
    if options.output_format == "json":
        from attncheck.report.json_ import render_shapes

        screen.write(render_shapes(row for _, rows, _ in traced for row in rows))
    else:
        shown = [(job, rows) for job, rows, failure in traced if failure is None]
        pages = [(job.path, rows, *page) for job, rows in shown for page in work.pages(job.path)]
        for number, (path, rows, cell, source) in enumerate(pages):
            apart: list[Line] = [()] if number else []
            titled = len(traced) > 1 or cell is not None
            title: list[Line] = [((_title(path, cell), "path"),)] if titled else []
            body = margin.render([row for row in rows if row.cell == cell], source, screen.width)
            screen.lines([*apart, *title, *body])
    return EXIT_FAILED if failures or work.problems else EXIT_CLEAN


def settings_at(path: str, options: Options) -> Settings:
    """The settings in force for a file or in a folder."""
    if not os.path.exists(path):
        raise Failure(f"{path}: no such file or folder")
    folder = path if os.path.isdir(path) else os.path.dirname(path) or "."
    return _finder(options).settings(folder)


def _finder(options: Options) -> SettingsFinder:
    if options.config is not None and options.no_config:
        raise Failure("--config and --no-config exclude each other")
    return SettingsFinder(options.overrides, options.config, isolated=options.no_config)


def _limit(options: Options) -> float:
    from attncheck.batch import LIMIT

    return LIMIT if options.timeout is None else options.timeout


def _cache(options: Options) -> Cache | None:
    if options.no_cache:
        return None
    from attncheck.cache import Cache

    return Cache.here(None if options.cache_dir is None else str(options.cache_dir))


def _work(paths: list[str], options: Options) -> Work:
    work = Work(
        paths, _finder(options), options.stdin_filename, force_exclude=options.force_exclude
    )
    for path, problem in work.problems:
        complain(f"{path}: {problem}{_command_hint(path)}")
    return work


def _report(done: Run, work: Work, options: Options) -> None:
    """Write a run in one of the formats. Raises OSError if the output file cannot be written.

    What sums it up is part of a text, and shown as well where that goes into a file; the other
    formats are never joined by anything else.
    """
    from importlib import import_module

    screen = Screen.open(options.color, options.output_file)
    name = _MODULES.get(options.output_format, options.output_format)
    module = import_module(f"attncheck.report.{name}")
    summary = _summary(done, options)
    if options.output_format in _TEXTS:
        found = module.render(done, work.lines, screen.width)
        screen.lines([*found, *(((line, ""),) for line in summary)])
    else:
        screen.write(module.render(done, work.lines))
    if options.output_file is not None:
        Screen.open(options.color).write("".join(f"{line}\n" for line in summary))
    elif options.output_format not in _TEXTS and options.statistics:
        print(*statistics(done), sep="\n", file=sys.stderr)


def _summary(done: Run, options: Options) -> list[str]:
    lines = statistics(done) if options.statistics else []
    # Paths that led to no file have been complained of: there is nothing to sum up.
    if not options.quiet and (done.results or done.skipped):
        lines.append(closing_line(done))
    return lines


def _title(path: str, cell: int | None) -> str:
    name = printable(path)
    return name if cell is None else f"{name}: cell {cell}"


def _command_hint(path: str) -> str:
    """Which command may have been meant by a path that does not exist."""
    bare = path.isalpha() and not os.path.exists(path)
    return nearest(path, COMMANDS, listed=False) if bare else ""
