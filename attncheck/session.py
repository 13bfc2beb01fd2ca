"""What the commands do, from paths and options to printed text and an exit code.

The one place that puts discovery, runner and reports together; it knows nothing of how options are
spelled. A `Failure` is the one line to end with.
"""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final

from attncheck.configuration.files import SettingsFinder
from attncheck.configuration.layers import Overrides
from attncheck.files import STDIN, discover
from attncheck.report.screen import Screen, complain
from attncheck.settings import nearest

if TYPE_CHECKING:
    from attncheck.report import Run
    from attncheck.report.text import Line
    from attncheck.runner import Job
    from attncheck.settings import Settings

COMMANDS: Final = ("check", "shapes", "explain", "rules", "dims", "config")

_FAILED: Final = 2


class Failure(Exception):
    """What ends a command with one line on standard error and exit code 2."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """The options of all commands; each command reads those that it has.

    ``color`` is ``auto``, ``always`` or ``never``; ``output_format`` ``full``, ``concise``,
    ``text`` or ``json``; ``jobs`` None is one a core.
    """

    overrides: Overrides = field(default_factory=Overrides)
    config: Path | None = None
    no_config: bool = False
    stdin_filename: str | None = None
    color: str = "auto"
    output_format: str = "full"
    output_file: Path | None = None
    exit_zero: bool = False
    quiet: bool = False
    statistics: bool = False
    jobs: int | None = None


_DEFAULTS: Final = Options()


def check(paths: list[str], options: Options = _DEFAULTS) -> int:
    """Check files and folders, print the report; the exit code."""
    work = _Work(paths, options)
    from attncheck.report import Run, exit_code
    from attncheck.runner import check_files

    results = check_files(work.jobs, options.jobs)
    for result in results:
        # With ATN902 switched off no finding says so, and the exit code must not go unexplained.
        if result.status == "failed" and not result.findings:
            complain(f"{result.path}: {result.reason}")
    done = Run(tuple(results), tuple(work.skipped), tuple(work.problems))
    screen = Screen.open(options.color, options.output_file)
    try:
        _report(done, work, options, screen)
    except OSError as error:
        if options.output_file is None:
            raise
        raise Failure(f"{options.output_file}: cannot be written: {error.strerror}") from None
    return exit_code(done, exit_zero=options.exit_zero)


def shapes(paths: list[str], options: Options = _DEFAULTS) -> int:
    """Print the traced shapes of files and folders; the exit code."""
    work = _Work(paths, options)
    from attncheck.report import text
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
        for job, rows, failure in traced:
            if failure is None:
                title: list[Line] = [((job.path, "path"),)] if len(traced) > 1 else []
                body = text.render_shapes(rows, work.lines(job.path), screen.width)
                screen.lines([*title, *body])
    return _FAILED if failures or work.problems else 0


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


class _Work:
    """The jobs that the paths on a command line mean, and what to say about the other paths."""

    def __init__(self, paths: list[str], options: Options) -> None:
        settings = _finder(options)
        found = discover(paths, settings.settings)
        self.skipped = found.skipped
        self.problems = found.problems
        self.jobs = [self._job(each, settings, options.stdin_filename) for each in found.files]
        self._data = {job.path: job.data for job in self.jobs if job.data is not None}
        for path, problem in found.problems:
            complain(f"{path}: {problem}{_command_hint(path)}")

    def lines(self, path: str) -> list[str]:
        """The source lines of a checked file, or none if it cannot be read as text."""
        from attncheck.source import SourceError, decode, split_lines

        try:
            data = self._data[path] if path in self._data else Path(path).read_bytes()
            return split_lines(decode(data)[0])
        except (OSError, SourceError):
            return []

    @staticmethod
    def _job(path: str, settings: SettingsFinder, stdin_name: str | None) -> Job:
        from attncheck.runner import Job

        data = None
        if path == STDIN:
            path, data = stdin_name or "<stdin>", sys.stdin.buffer.read()
        return Job(path, settings.settings(os.path.dirname(path) or "."), data)


def _report(done: Run, work: _Work, options: Options, screen: Screen) -> None:
    """Write a run in one of the formats; JSON is never joined by anything else."""
    from attncheck.report import closing_line, concise, json_, text
    from attncheck.report import statistics as count

    if options.output_format == "json":
        screen.write(json_.render(done))
        return
    if options.output_format == "concise":
        lines = list(concise.render(done))
    else:
        lines = list(text.render(done, work.lines, screen.width))
    if options.statistics:
        lines += [((line, ""),) for line in count(done)]
    # Paths that led to no file have been complained of: there is nothing to sum up.
    if not options.quiet and (done.results or done.skipped):
        lines.append(((closing_line(done), ""),))
    screen.lines(lines)


def _command_hint(path: str) -> str:
    """Which command may have been meant by a path that does not exist."""
    bare = path.isalpha() and not os.path.exists(path)
    return nearest(path, COMMANDS, listed=False) if bare else ""
