"""What the tests of the shell share: a command line in a folder of its own."""

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Outcome:
    """What a command printed, and its exit code."""

    code: int
    out: str
    err: str


@pytest.fixture
def folder(tmp_path, tmp_path_factory, monkeypatch):
    """An empty working folder without any configuration above it, and a cache of its own."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))
    for name in ("NO_COLOR", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path


@pytest.fixture
def attncheck(folder):
    """Runs the real command in that folder."""

    def run(*arguments, stdin=b"", env=None, timeout=120):
        environment = {**os.environ, "PYTHONPATH": str(ROOT), **(env or {})}
        done = subprocess.run(
            [sys.executable, "-m", "attncheck", *map(str, arguments)],
            cwd=folder,
            input=stdin,
            capture_output=True,
            timeout=timeout,
            env=environment,
            check=False,
        )
        return Outcome(done.returncode, done.stdout.decode(), done.stderr.decode())

    return run
