"""Real bug reports, each rewritten as a broken file and its corrected twin.

`detected.txt` lists the cases that the tool finds, one a line; it has to be exactly true, so that
it shows what a change of the tool gained and lost. No twin may get an error or a warning.
The sets called `reports-...` were written together with the rules that find them; what they say of
the tool is what it must not lose, not how much it finds.
"""

import ast
import json
from dataclasses import dataclass
from pathlib import Path

import pytest

from attncheck.engine import check_source
from attncheck.settings import Settings

HERE = Path(__file__).parent
DETECTED = (HERE / "detected.txt").read_text(encoding="utf-8").split()

#: The codes that name a bug of a family rightly: where it runs silently, and where it raises.
FAMILIES = {
    "matmul-dim": ("101 102 109 202 302 602", "101 102 103 104 109"),
    "transposition": ("102 109 202 302 303 304 306 602", "101 102 103 104 107 109"),
    "silent-broadcast": ("201 202 203 204 306 602", "110 201 202 203"),
    "reshape-scramble": ("108 303 304 305", "104 105 106 108 110 303"),
    "softmax-axis": ("301 302", "104 301 302"),
    "contraction-axis": ("201 202 203 301 302", "101 102 104 107 110 302"),
    "batch-first": ("303 304 305", "101 103 104 105 106 110 304 501"),
    "mask-shape": ("202 307 501 502 505 507", "104 105 110 202 501"),
    "mask-polarity": ("502 504 507", "502"),
    "mask-placement": ("503 504 505", "503 504"),
    "scale": ("506", "506"),
    "head-split": ("108 202 303 305", "101 104 105 108 303"),
    "concat-dim": ("106 303 304", "101 103 104 106"),
    "linear-dim": ("103 602", "101 103 105 108"),
    "einsum": ("107 202 301 302", "101 104 107"),
    "qk-dim": ("101 109 602", "101 102 103 109 110"),
    "state-mixup": ("304 305 308 401 402", "103 104 110 305 401 402"),
}
#: Kinds of bug within a family that fewer rules name.
SUBFAMILIES = {
    "bahdanau-post-step": "401",
    "luong-pre-step": "402",
    "repeat-order": "307",
    "rnn-state-layout": "101 103 104 106 110 202 304 305",
}


@dataclass(frozen=True, slots=True)
class Case:
    folder: Path
    facts: dict

    @property
    def name(self):
        return self.folder.relative_to(HERE).as_posix()

    @property
    def settings(self):
        """The shapes that a case declares because its code cannot tell them."""
        if self.facts["statically_decidable"] != "with-dims":
            return Settings()
        shapes = {
            name: shape if isinstance(shape, str) else " ".join(map(str, shape))
            for name, shape in self.facts["dims"].items()
            if name.isidentifier()
        }
        return Settings(tensors=tuple(shapes.items()))

    def alarms(self, file):
        """The errors and warnings about a file of the case."""
        data = (self.folder / file).read_bytes()
        findings = check_source(data, file, self.settings).findings
        return [finding for finding in findings if finding.severity != "note"]

    def accepts(self, code):
        """Whether a code is a right name for the bug."""
        facts = self.facts
        codes = SUBFAMILIES.get(facts.get("subfamily"))
        if codes is None:
            silent, loud = FAMILIES.get(facts["family"], ("", ""))
            codes = silent if facts["silent"] else loud
        return code[3:] in codes.split() if codes else code < "ATN7"

    def is_detected(self):
        """Whether a finding that the twin does not get names the bug at its statement."""
        statement = statements((self.folder / "bug.py").read_text(encoding="utf-8"))
        lines = (self.facts["bug_line"], *self.facts.get("also_ok_lines", ()))
        places = {statement.get(line, line) for line in lines}
        twin = {(finding.code, finding.line) for finding in self.alarms("fixed.py")}
        return any(
            statement.get(finding.line, finding.line) in places
            and self.accepts(finding.code)
            and (finding.code, finding.line) not in twin
            for finding in self.alarms("bug.py")
        )


def statements(source):
    """The first line of the innermost statement, by line."""
    first = {}
    for node in ast.walk(ast.parse(source)):  # breadth first: inner ones overwrite outer ones
        if isinstance(node, ast.stmt):
            body = getattr(node, "body", None)
            last = max(node.lineno, body[0].lineno - 1) if body else node.end_lineno
            first |= dict.fromkeys(range(node.lineno, last + 1), node.lineno)
    return first


CASES = [
    Case(path.parent, json.loads(path.read_text(encoding="utf-8")))
    for path in sorted(HERE.rglob("case.json"))
]
every_case = pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)


def test_detected_names_cases_once_and_in_order():
    assert [case.name for case in CASES if case.name in DETECTED] == DETECTED


@every_case
def test_twin_is_silent(case):
    assert [(each.line, each.code, each.message) for each in case.alarms("fixed.py")] == []


@every_case
def test_detected_is_true(case):
    if case.is_detected():
        assert case.name in DETECTED, "it is detected now: add it to detected.txt"
    else:
        assert case.name not in DETECTED, "it is not detected any more"
