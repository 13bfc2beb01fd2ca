"""Other tools that read Python, each told to look at the files and at nothing else."""

import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

#: What to run on a folder. None of them is told to find what attncheck finds: this is about time.
COMMANDS = {
    "ruff": ["check", "--isolated", "--no-cache", "--quiet", "."],
    "mypy": ["--ignore-missing-imports", "--no-incremental", "--no-error-summary", "."],
    "pyrefly": ["check", "--summary=none"],
    "fixit": ["--quiet", "lint", "."],
    "torchfix": ["--select=ALL", "."],
}


def installed(folder: Path | None) -> Iterator[tuple[str, list[str] | None]]:
    """Each tool with its command, or with None if it is neither in `folder` nor beside Python."""
    places = [str(folder)] if folder else []
    places += [os.path.dirname(sys.executable), os.environ.get("PATH", "")]
    for name, options in COMMANDS.items():
        found = shutil.which(name, path=os.pathsep.join(places))
        yield name, None if found is None else [found, *options]
