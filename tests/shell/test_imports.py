"""What a run imports: start-up is most of what checking a small file costs."""

import inspect
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import attncheck
from attncheck import cli, commands
from attncheck.batch import SEQUENTIAL

ROOT = Path(attncheck.__file__).parents[1]
HEAVY = {
    "importlib.metadata",
    "libcst",
    "multiprocessing",
    "numpy",
    "pathspec",
    "rich",
    "tomllib",
    "torch",
}
#: Beside these, typer may bring what it likes: the command line asked for it.
TYPER_FREE = HEAVY | {"typer", "click", "pydantic", "difflib"}


def imported(folder, *arguments):
    """The modules that a command line imports, its interpreter's own start-up left out."""
    code = (
        "import sys; before = set(sys.modules); sys.argv[1:] = {arguments!r}\n"
        "from attncheck import cli\n"
        "try: cli.main()\n"
        "except SystemExit: pass\n"
        "import json; print(json.dumps(sorted(set(sys.modules) - before)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code.format(arguments=list(arguments))],
        cwd=folder,
        capture_output=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        check=True,
    )
    return set(json.loads(done.stdout.splitlines()[-1]))


def test_version_needs_only_typer(folder):
    assert imported(folder, "--version") & HEAVY == set()


def test_a_file_without_tensor_code_needs_no_parser_and_no_typer(folder):
    Path("plain.py").write_text("x = 1\n")
    assert imported(folder, "plain.py") & TYPER_FREE == set()
    assert imported(folder, "check", "plain.py") & TYPER_FREE == set()


def test_switches_need_no_typer(folder):
    Path("plain.py").write_text("x = 1\n")
    switches = [each for each in cli._SWITCHES if each not in {"--diff", "--unsafe-fixes"}]
    assert imported(folder, "check", *switches, "plain.py") & TYPER_FREE == set()


def test_the_switches_are_those_of_the_command():
    parameters = inspect.signature(commands.check).parameters
    flags = {name for name, parameter in parameters.items() if parameter.default is False}
    # One runs another command, one goes with an option that has a value.
    flags -= {"watch", "write_baseline"}
    assert {f"--{name.replace('_', '-')}": name for name in flags} == cli._SWITCHES


def test_a_folder_without_ignore_files_needs_no_pathspec(folder):
    Path("plain.py").write_text("x = 1\n")
    assert imported(folder, ".") & TYPER_FREE == set()


def test_a_file_nested_too_deeply_never_meets_libcst(folder):
    Path("deep.py").write_text(f"import numpy\nx = {'(' * 5000}{')' * 5000}\n")
    assert imported(folder, "deep.py") & TYPER_FREE == set()


def test_a_file_with_tensor_code_needs_of_libcst_only_its_core(folder):
    Path("a.py").write_text("import numpy as np\nx = np.zeros((3, 4))\n")
    modules = imported(folder, "a.py")
    assert "libcst" in modules
    unwanted = {"libcst.matchers", "libcst.codemod", "numpy", "rich", "typer", "pathspec"}
    assert modules & unwanted == set()


class TestACachedRun:
    """What an earlier run has left is printed without any of what found it."""

    ATTN = (
        "import numpy as np\n\n\ndef f(query, keys):\n"
        "    assert query.shape == (3,) and keys.shape == (4, 5)\n    return keys @ query\n"
    )

    def test_imports_no_parser_and_no_rules(self, folder):
        Path("a.py").write_text(self.ATTN)
        first = imported(folder, "a.py")
        assert {"libcst", "attncheck.analysis"} <= first
        again = imported(folder, "a.py")
        assert again & TYPER_FREE == set()
        own = {name.removeprefix("attncheck.") for name in again if name.startswith("attncheck.")}
        assert {name for name in own if not name.startswith("report")} == {
            "batch",
            "cache",
            "checks",
            "checks.file_not_parsed",
            "cli",
            "configuration",
            "configuration.finder",
            "engine",
            "files",
            "finding",
            "nesting",
            "record",
            "rule",
            "runner",
            "session",
            "settings",
            "source",
            "work",
        }

    def test_over_many_files_starts_no_workers(self, folder):
        for number in range(40):
            Path(f"{number}.py").write_text(self.ATTN)
        assert "multiprocessing" in imported(folder, ".")
        assert imported(folder, ".") & TYPER_FREE == set()


SHADOWS = ("ast", "nt", "numpy", "pathspec", "pickle", "random", "socket", "torch", "yaml_ft")
SPAWNED = """
import sys
from attncheck import cli, pool
pool.get_all_start_methods = lambda: ["spawn"]
if __name__ == "__main__":
    sys.argv[1:] = ["--no-cache", "--jobs", "2", "."]
    cli.main()
"""


@pytest.mark.parametrize("command", ["module", "new interpreters"])
def test_no_file_of_the_working_folder_is_run(tmp_path, command):
    script, project = tmp_path / "tool" / "script.py", tmp_path / "project"
    for folder in (script.parent, project):
        folder.mkdir()
    script.write_text(SPAWNED)
    for name in SHADOWS:
        (project / f"{name}.py").write_text("raise SystemExit('this file was run')\n")
    for number in range(SEQUENTIAL + 1):
        code = "import numpy as np\nx = np.ones((2, 3)) @ np.ones((4, 5))\n"
        (project / f"attn_{number}.py").write_text(code)
    options = ("-m", "attncheck", "--no-cache", "--jobs", "2", ".")
    done = subprocess.run(
        [sys.executable, *(options if command == "module" else [script])],
        cwd=project,
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        check=False,
    )
    assert "was run" not in done.stdout + done.stderr
    assert done.stdout.count("ATN101") == SEQUENTIAL + 1
    assert done.returncode == 1
