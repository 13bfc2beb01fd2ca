"""A fix never makes an error vanish by broadcasting; what was refused for that is shown."""

import importlib.util
import json
import sys
from pathlib import Path

import pytest

from attncheck.analysis import analyse
from attncheck.edits import apply_edits
from attncheck.engine import Coverage, FileResult, check_source
from attncheck.repair.trial import stretched
from attncheck.report import Run, json_
from attncheck.report import text as full
from attncheck.settings import Settings
from attncheck.source import load


def _acceptance():
    path = Path(__file__).resolve().parents[1] / "acceptance" / "single_edits.py"
    spec = importlib.util.spec_from_file_location("acceptance_single_edits", path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


EDITS = _acceptance().EDITS


def found(edit):
    (finding,) = check_source(edit.source.encode(), "code.py", Settings()).findings
    return finding


def stretches(text):
    """How many lines of the module's functions stretch an axis, and how many axes."""
    analysis = analyse(load(text.encode(), "code.py"), Settings())
    return sum(
        stretched(operation)
        for traced in (analysis.module, *analysis.shown)
        for operation in traced.graph.operations
    )


@pytest.mark.parametrize("edit", EDITS, ids=str)
def test_a_fixed_file_stretches_no_more_than_one_that_was_right(edit):
    finding = found(edit)
    fixed = apply_edits(edit.source.encode(), finding.fix.edits).decode()
    assert stretches(fixed) <= stretches(edit.unedited_source)


@pytest.mark.parametrize("edit", EDITS, ids=str)
def test_what_was_refused_is_not_what_is_offered(edit):
    finding = found(edit)
    refused = [each.line for each in finding.refused]
    assert finding.fix.line not in refused
    assert len(set(refused)) == len(refused) <= 2
    assert all(each.reason for each in finding.refused)


def test_refusals_of_the_edits_say_what_would_fail_then():
    reasons = {each.reason for edit in EDITS for each in found(edit).refused}
    assert reasons
    assert all(reason.startswith("then `") for reason in reasons)


BROADCASTS = [
    (
        "(5, 3)",
        "(3, 5)",
        "c = a.T + b",
        "c = a + b[:, :, None]",
        "broadcasts (3, 5, 1) over (5, 3)",
    ),
    ("(5, 3)", "(5,)", "c = a.T + b", "c = a + b[:, None]", "broadcasts (5, 1) over (5, 3)"),
]


@pytest.mark.parametrize("left, right, fix, line, reason", BROADCASTS)
def test_a_refusal_says_what_it_would_broadcast(left, right, fix, line, reason):
    code = f"import numpy as np\na = np.ones({left})\nb = np.ones({right})\nc = a + b\n"
    (finding,) = check_source(code.encode(), "code.py", Settings()).findings
    assert finding.fix.line == fix
    assert [(each.line, each.reason) for each in finding.refused] == [(line, reason)]


@pytest.mark.parametrize("edit", EDITS, ids=str)
def test_each_refusal_is_told_once_in_every_format(edit):
    finding = found(edit)
    run = Run((FileResult("code.py", "checked", None, (finding,), Coverage()),))
    told = [(each.line, each.reason) for each in finding.refused]
    lines = edit.source.split("\n")
    assert full.plain(full.render(run, lambda path: lines)).count("  refused  ") == len(told)
    (shown,) = json.loads(json_.render(run, lambda path: lines))["findings"]
    assert [(each["line"], each["reason"]) for each in shown["fix"]["refused"]] == told
