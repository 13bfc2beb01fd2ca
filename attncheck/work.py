"""The files that a command line means: the jobs to do, and their content for those who ask."""

from __future__ import annotations

import os
import sys
from dataclasses import replace
from typing import TYPE_CHECKING

from attncheck.files import STDIN, discover

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from attncheck.configuration.finder import SettingsFinder
    from attncheck.runner import Job
    from attncheck.settings import Settings
    from attncheck.source import Text


class Work:
    """The jobs that paths mean, and what there is to say of the other paths.

    A path below the working folder is shown relative to it, however it was written.
    """

    def __init__(
        self,
        paths: list[str],
        finder: SettingsFinder,
        stdin_name: str | None,
        *,
        force_exclude: bool = False,
    ) -> None:
        found = discover(paths, finder.settings, force_exclude=force_exclude)
        self.problems = found.problems
        self.skipped = [(_relative(path), reason) for path, reason in found.skipped]
        self.jobs = [_job(path, finder, stdin_name, path in found.named) for path in found.files]
        self._by_path = {job.path: job for job in self.jobs}
        self._text: tuple[str, Text | None] | None = None

    @property
    def settings(self) -> Mapping[str, Settings]:
        """The settings of each file."""
        return {job.path: job.settings for job in self.jobs}

    def job(self, path: str) -> Job:
        """The job of a file that is checked."""
        return self._by_path[path]

    def data(self, path: str) -> bytes:
        """The content of a file. Raises OSError, or SourceError for one that is too large."""
        from attncheck.source import read_bytes

        data = self._by_path[path].data
        return read_bytes(path) if data is None else data

    def rewritten(self, path: str, data: bytes) -> None:
        """Take note of a file's new content."""
        job = self._by_path[path]
        if job.data is not None:
            self._by_path[path] = replace(job, data=data)
        self._text = None

    def lines(self, path: str) -> Sequence[str]:
        """The source lines of a checked file, or none if it cannot be read as text."""
        said = self._read(path)
        return () if said is None else said.lines()

    def pages(self, path: str) -> Iterator[tuple[int | None, Sequence[str]]]:
        """The source lines of each cell of a notebook; those of a plain file under None."""
        said = self._read(path)
        return iter(()) if said is None else said.pages()

    def _read(self, path: str) -> Text | None:
        from attncheck.source import NotChecked, SourceError, read

        if self._text is None or self._text[0] != path:
            try:
                self._text = path, read(self.data(path), path)
            except (OSError, SourceError, NotChecked):
                self._text = path, None
        return self._text[1]


def _job(path: str, finder: SettingsFinder, stdin_name: str | None, named: bool) -> Job:
    from attncheck.runner import Job

    data = None
    if path == STDIN:
        path, data = stdin_name or "<stdin>", sys.stdin.buffer.read()
    settings = finder.settings(os.path.dirname(path) or ".")
    return Job(_relative(path), settings, data, named)


def _relative(path: str) -> str:
    """A path below the working folder without that folder; any other as it is."""
    try:
        inside = os.path.relpath(path)
    except ValueError:  # on another drive, or no path at all
        return path
    return path if inside.startswith(os.pardir) else inside
