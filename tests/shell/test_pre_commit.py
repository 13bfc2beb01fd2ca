"""The hook as pre-commit itself runs it, on a repository of its own.

pre-commit would install this checkout with pip, which needs the network; here the hook is told that
its command is there already (`language: system`), and everything else of it is as it is shipped.
`.ci/run` installs it as users do.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from .conftest import ROOT
from .samples import ATTENTION
from .test_notebook import notebook

pytest.importorskip("pre_commit")

HOOKS = ".pre-commit-hooks.yaml"
CLEAN = "import numpy as np\n\nx = np.zeros((3, 4)) @ np.zeros((4, 5))\n"


@pytest.fixture
def environment(folder, tmp_path_factory, monkeypatch):
    home = tmp_path_factory.mktemp("home")
    command = home / "bin" / "attncheck"
    command.parent.mkdir()
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m attncheck "$@"\n')
    command.chmod(0o755)
    for name in [name for name in os.environ if name.startswith(("GIT_", "PRE_COMMIT"))]:
        monkeypatch.delenv(name)
    return {
        **os.environ,
        "HOME": str(home),
        "PATH": f"{command.parent}{os.pathsep}{os.environ['PATH']}",
        "PRE_COMMIT_HOME": str(home / "pre-commit"),
        "PYTHONPATH": str(ROOT),
        "GIT_CONFIG_GLOBAL": os.devnull,
    }


@pytest.fixture
def pre_commit(folder, tmp_path_factory, environment):
    """Runs the hook on the repository in the working folder, after adding all its files."""
    hook = tmp_path_factory.mktemp("hook")
    shipped = (ROOT / HOOKS).read_text()
    assert "language: python\n" in shipped
    (hook / HOOKS).write_text(shipped.replace("language: python\n", "language: system\n"))

    def git(place, *arguments):
        subprocess.run(["git", *arguments], cwd=place, env=environment, check=True)

    for place in (hook, folder):
        git(place, "init", "--quiet")
    identity = ["-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false"]
    git(hook, "add", ".")
    git(hook, *identity, "commit", "--quiet", "-m", "hook")

    def run(*arguments):
        git(folder, "add", "--all", "--force")
        done = subprocess.run(
            [sys.executable, "-m", "pre_commit", "try-repo", str(hook), "attncheck", *arguments],
            cwd=folder,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        return done.returncode, done.stdout + done.stderr

    return run


@pytest.mark.skipif(shutil.which("git") is None, reason="pre-commit needs git")
class TestHook:
    def test_passes_clean_files_and_looks_at_no_others(self, pre_commit):
        Path("clean.py").write_text(CLEAN)
        Path("notes.md").write_text(ATTENTION)
        Path("data.json").write_text("{")
        code, said = pre_commit()
        assert (code, "Passed" in said) == (0, True), said

    def test_fails_on_a_finding_and_shows_it(self, pre_commit):
        Path("attn.py").write_text(ATTENTION)
        Path("clean.py").write_text(CLEAN)
        code, said = pre_commit()
        assert code == 1, said
        assert "exit code: 1" in said
        assert "\nattn.py:7:21: ATN102 transposed-operand: `encoder_states @ U_a`" in said
        assert "\nchecked 2 files: 1 warning. " in said

    def test_checks_notebooks(self, pre_commit):
        Path("attn.ipynb").write_text(notebook(ATTENTION))
        code, said = pre_commit("--all-files")
        assert code == 1, said
        assert "\nattn.ipynb: cell 1, line 7, column 21: ATN102 transposed-operand" in said

    def test_leaves_out_what_the_settings_exclude(self, pre_commit):
        Path("old").mkdir()
        Path("old/attn.py").write_text(ATTENTION)
        Path("clean.py").write_text(CLEAN)
        Path("pyproject.toml").write_text('[tool.attncheck]\nexclude = ["old/"]\n')
        code, said = pre_commit("--verbose")
        assert (code, "checked 1 file (1 skipped: excluded): " in said) == (0, True), said

    def test_is_told_of_staged_files_only(self, pre_commit):
        Path("attn.py").write_text(ATTENTION)
        Path("clean.py").write_text(CLEAN)
        code, said = pre_commit("--files", "clean.py")
        assert (code, "Passed" in said) == (0, True), said

    def test_a_file_called_like_a_command_is_a_file(self, pre_commit):
        Path("rules").write_text("#!/usr/bin/env python3\nimport numpy\nx = 1)\n")
        Path("rules").chmod(0o755)
        code, said = pre_commit()
        assert code == 1, said
        assert "rules:3:6: ATN902 file-not-parsed: unmatched ')'" in said

    def test_runs_once_for_many_files(self, pre_commit):
        for number in range(300):
            Path(f"{number:03}_{'x' * 200}.py").write_text(f"import numpy\nx = {number}\n")
        Path("attn.py").write_text(ATTENTION)
        code, said = pre_commit()
        assert code == 1, said
        assert said.count("\nchecked ") == 1
        assert "\nchecked 301 files: 1 warning. " in said


def test_the_file_is_a_valid_manifest(environment):
    done = subprocess.run(
        [sys.executable, "-m", "pre_commit", "validate-manifest", str(ROOT / HOOKS)],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (0, "")
