"""The files that a command line means: the jobs to do, and their content for those who ask."""

from __future__ import annotations

import os
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from attncheck.files import STDIN, discover

if TYPE_CHECKING:
    from collections.abc import Mapping

    from attncheck.configuration.finder import SettingsFinder
    from attncheck.runner import Job
    from attncheck.settings import Settings


class Work:
    """The jobs that paths mean, and what there is to say of the other paths.

    A path below the working folder is shown relative to it, however it was written.
    """

    def __init__(self, paths: list[str], finder: SettingsFinder, stdin_name: str | None) -> None:
        found = discover(paths, finder.settings)
        self.skipped = [(_relative(path), reason) for path, reason in found.skipped]
        self.problems = found.problems
        self.jobs = [_job(path, finder, stdin_name) for path in found.files]
        self._by_path = {job.path: job for job in self.jobs}
        self._lines: tuple[str, list[str]] | None = None

    @property
    def settings(self) -> Mapping[str, Settings]:
        """The settings of each file."""
        return {job.path: job.settings for job in self.jobs}

    def job(self, path: str) -> Job:
        """The job of a file that is checked."""
        return self._by_path[path]

    def data(self, path: str) -> bytes:
        """The content of a file. Raises OSError."""
        data = self._by_path[path].data
        return Path(path).read_bytes() if data is None else data

    def rewritten(self, path: str, data: bytes) -> None:
        """Take note of a file's new content."""
        job = self._by_path[path]
        if job.data is not None:
            self._by_path[path] = replace(job, data=data)
        self._lines = None

    def lines(self, path: str) -> list[str]:
        """The source lines of a checked file, or none if it cannot be read as text."""
        if self._lines is None or self._lines[0] != path:
            self._lines = path, self._read_lines(path)
        return self._lines[1]

    def _read_lines(self, path: str) -> list[str]:
        from attncheck.source import SourceError, decode, split_lines

        try:
            return split_lines(decode(self.data(path))[0])
        except (OSError, SourceError):
            return []


def _job(path: str, finder: SettingsFinder, stdin_name: str | None) -> Job:
    from attncheck.runner import Job

    data = None
    if path == STDIN:
        path, data = stdin_name or "<stdin>", sys.stdin.buffer.read()
    settings = finder.settings(os.path.dirname(path) or ".")
    return Job(_relative(path), settings, data)


def _relative(path: str) -> str:
    """A path below the working folder without that folder; any other as it is."""
    try:
        inside = os.path.relpath(path)
    except ValueError:  # on another drive, or no path at all
        return path
    return path if inside.startswith(os.pardir) else inside
