"""The action and the snippets of docs/everyday.md: well formed, and their commands run."""

import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from attncheck.commands import Format

from .conftest import ROOT
from .samples import ATTENTION

yaml = pytest.importorskip("yaml")

ACTION = yaml.safe_load((ROOT / "action.yml").read_text())
DOCS = (ROOT / "docs/everyday.md").read_text()
SNIPPETS = [yaml.safe_load(text) for text in re.findall(r"```yaml\n(.*?)```", DOCS, re.DOTALL)]
HOOK, WORKFLOW, PIPELINE = SNIPPETS


def knows(*formats):
    return pytest.mark.skipif(
        not {*formats} <= {each.value for each in Format},
        reason=f"needs the formats {', '.join(formats)}",
    )


def step(name):
    (found,) = (step for step in ACTION["runs"]["steps"] if step.get("name") == name)
    return found


@pytest.fixture
def run_step(folder, tmp_path_factory):
    """Runs the script of a step as a runner does, with inputs in place of their defaults."""
    home = tmp_path_factory.mktemp("runner")
    command = home / "attncheck"
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m attncheck "$@"\n')
    command.chmod(0o755)

    def run(name, **inputs):
        values = {key: each["default"] for key, each in ACTION["inputs"].items()} | inputs
        wanted = step(name)
        environment = {
            key: re.sub(r"\$\{\{ inputs\.([\w-]+) \}\}", lambda found: values[found[1]], value)
            for key, value in wanted["env"].items()
        }
        return subprocess.run(
            ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", wanted["run"]],
            env={
                **os.environ,
                **environment,
                "ATTNCHECK": str(command),
                "PYTHONPATH": str(ROOT),
            },
            capture_output=True,
            text=True,
            check=False,
        )

    return run


class TestAction:
    def test_every_step_has_what_a_composite_action_needs(self):
        assert ACTION["runs"]["using"] == "composite"
        for each in ACTION["runs"]["steps"]:
            assert ("uses" in each) != ("run" in each)
            assert ("run" in each) == ("shell" in each)

    def test_inputs_reach_the_shell_as_variables_only(self):
        used = set()
        for each in ACTION["runs"]["steps"]:
            assert "${{" not in each.get("run", "")
            used |= set(re.findall(r"inputs\.([\w-]+)", json.dumps(each)))
        assert used == set(ACTION["inputs"])

    @knows("github")
    def test_findings_are_annotations_and_fail_the_step(self, run_step):
        Path("a file.py").write_text("x = 1\n")
        Path("attn.py").write_text(ATTENTION)
        done = run_step("Check")
        assert done.returncode == 1, done.stderr
        assert re.search(r"^::\w+ .*file=attn\.py,line=7", done.stdout, re.MULTILINE)
        assert Path(".attncheck_cache").is_dir()
        assert run_step("Check", options="--ignore ATN102 --quiet").returncode == 0

    @knows("sarif")
    def test_sarif_is_written_whatever_was_found(self, run_step):
        Path("attn.py").write_text(ATTENTION)
        done = run_step("Write SARIF", paths="attn.py")
        assert done.returncode == 0, done.stderr
        (upload,) = (
            each for each in ACTION["runs"]["steps"] if "upload-sarif" in each.get("uses", "")
        )
        written = json.loads(Path(upload["with"]["sarif_file"]).read_text())
        assert [each["ruleId"] for each in written["runs"][0]["results"]] == ["ATN102"]

    @knows("github")
    def test_a_path_is_never_an_option(self, run_step):
        Path("-x.py").write_text("x = 1)\n")
        done = run_step("Check", paths="-x.py")
        assert (done.returncode, done.stderr) == (2, "")
        assert "file=-x.py" in done.stdout


class TestSnippets:
    def test_the_hook_exists(self):
        hooks = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())
        assert [each["id"] for each in HOOK["repos"][0]["hooks"]] == [each["id"] for each in hooks]

    def test_the_workflow_uses_inputs_that_there_are(self):
        *_, use = WORKFLOW["jobs"]["attncheck"]["steps"]
        assert "/attncheck@" in use["uses"]
        assert set(use["with"]) <= set(ACTION["inputs"])

    @knows("gitlab")
    def test_the_pipeline_runs(self, attncheck, folder):
        job = PIPELINE["attncheck"]
        Path("attn.py").write_text(ATTENTION)
        (command,) = (line for line in job["script"] if line.startswith("attncheck "))
        done = attncheck(*shlex.split(command)[1:])
        assert (done.code, done.err) == (1, "")
        report = json.loads(Path(job["artifacts"]["reports"]["codequality"]).read_text())
        assert [each["location"]["path"] for each in report] == ["attn.py"]
        assert [Path(path).is_dir() for path in job["cache"]["paths"]] == [True]
