"""A bar on the terminal that shows how far a long run has come, and leaves nothing behind.

rich is imported when a run turns out to be long; the bar is drawn by the caller's own calls, not by
a thread, because workers are forked beside it.
"""

from __future__ import annotations

import os
import sys
import time
from types import TracebackType
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from rich.progress import Progress

#: Seconds after which a person begins to wonder.
_LONG: Final = 1.0
#: Seconds between two pictures.
_PAUSE: Final = 0.1


class Bar:
    """Shows the number of files done, out of `total`, once a run is long; nothing in a log."""

    def __init__(self, total: int, *, wanted: bool) -> None:
        self._total = total
        self._wanted = wanted and sys.stderr.isatty() and os.environ.get("TERM") != "dumb"
        self._next = time.monotonic() + _LONG
        self._progress: Progress | None = None

    def __enter__(self) -> Bar:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if self._progress is not None:
            self._progress.stop()

    def show(self, done: int) -> None:
        """Say how many files are done."""
        now = time.monotonic()
        if not self._wanted or now < self._next:
            return
        self._next = now + _PAUSE
        if self._progress is None:
            self._progress = self._open()
        (task,) = self._progress.task_ids
        self._progress.update(task, completed=done, refresh=True)

    def _open(self) -> Progress:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeRemainingColumn

        progress = Progress(
            BarColumn(),
            MofNCompleteColumn(),
            "files",
            TimeRemainingColumn(),
            console=Console(stderr=True),
            auto_refresh=False,
            transient=True,
            redirect_stdout=False,
            redirect_stderr=False,
        )
        progress.add_task("", total=self._total)
        progress.start()
        return progress
