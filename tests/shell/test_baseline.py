"""Baselines through the real command: what is known stays out, what is new or changed comes."""

import json
from pathlib import Path

import pytest

ONE = """\
import numpy as np


def scores(decoder_state, encoder_states, W_a, U_a, v_a):
    projected_dec = W_a @ decoder_state
    projected_enc = encoder_states @ U_a
    return np.tanh(projected_dec + projected_enc) @ v_a
"""
#: The same mistake in a second function, and once more in the same words.
TWO = ONE + ONE[ONE.index("\n\ndef") :].replace("scores", "others")
CODE = "transposed-operand (ATN102)"


@pytest.fixture
def check(attncheck):
    """Checks a folder against a baseline: the exit code, the findings, the closing line."""

    def check(*arguments, path="."):
        done = attncheck(path, "--baseline", "known.json", "--output-format", "concise", *arguments)
        assert done.err == ""
        *found, closing = done.out.splitlines()
        return done.code, [line.split(":")[:2] for line in found], closing.split(". ")

    return check


def entries():
    return json.loads(Path("known.json").read_text())["findings"]


def test_what_is_known_is_left_out(check):
    Path("a.py").write_text(ONE)
    code, found, closing = check("--write-baseline")
    assert (code, found) == (0, [])
    assert closing[:2] == [
        "checked 1 file: no findings",
        "1 finding left out as known (known.json)",
    ]
    assert check()[:2] == (0, [])


def test_neither_moving_nor_formatting_makes_it_new(check):
    Path("a.py").write_text(ONE)
    check("--write-baseline")
    Path("a.py").write_text("# above\n" + ONE.replace("encoder_states @ U_a", "encoder_states@U_a"))
    assert check()[:2] == (0, [])


def test_a_new_finding_fails_the_run(check):
    Path("a.py").write_text(ONE)
    check("--write-baseline")
    Path("a.py").write_text(TWO)
    code, found, closing = check()
    assert (code, found) == (1, [["a.py", "12"]])
    assert closing[:2] == [
        "checked 1 file: 1 warning",
        "1 finding left out as known (known.json)",
    ]


def test_one_more_of_the_same_is_new(check):
    line = "x = 1  # attncheck: ignore\n"
    Path("a.py").write_text("import numpy\n" + line)
    check("--write-baseline")
    assert [each["count"] for each in entries()] == [1]
    Path("a.py").write_text("import numpy\n" + line * 3)
    code, found, _ = check()
    assert (code, found) == (1, [["a.py", "3"], ["a.py", "4"]])
    check("--write-baseline")
    assert [each["count"] for each in entries()] == [3]


def test_what_is_no_longer_found_is_told(check):
    Path("a.py").write_text(TWO)
    Path("gone.py").write_text(ONE)
    check("--write-baseline")
    Path("a.py").write_text(TWO.replace("encoder_states @ U_a", "encoder_states @ U_a.T"))
    Path("gone.py").unlink()
    code, _, closing = check()
    assert code == 0
    assert closing[1] == "3 findings in known.json no longer found"
    check("--write-baseline")
    assert entries() == []
    assert check()[2][1].startswith("2 functions")


def test_a_run_over_a_part_leaves_the_rest_alone(check):
    Path("a.py").write_text(ONE)
    Path("b.py").write_text(ONE)
    check("--write-baseline")
    Path("a.py").write_text("import numpy as np\n")
    _, _, closing = check(path="b.py")
    assert closing[1] == "1 finding left out as known (known.json)"
    check("--write-baseline", path="a.py")
    assert [each["path"] for each in entries()] == ["b.py"]
    check("--write-baseline", "--select", "ATN101")
    assert [each["path"] for each in entries()] == ["b.py"]


def test_the_file_has_an_entry_a_line_and_paths_from_its_own_folder(attncheck):
    Path("sub").mkdir()
    Path("sub/a.py").write_text(TWO)
    done = attncheck("sub/a.py", "--baseline", "sub/known.json", "--write-baseline")
    assert done.code == 0
    text = Path("sub/known.json").read_text()
    assert [
        [line.count('"path": "a.py"'), line.count('"rule": "transposed-operand"')]
        for line in text.splitlines()[4:-2]
    ] == [[1, 1], [1, 1]]
    assert {(each["function"], each["count"]) for each in json.loads(text)["findings"]} == {
        ("scores", 1),
        ("others", 1),
    }
    attncheck("sub/a.py", "--baseline", "sub/known.json", "--write-baseline")
    assert Path("sub/known.json").read_text() == text


def test_a_file_that_cannot_be_parsed_is_never_known(check, attncheck):
    Path("a.py").write_text("import numpy\nx = 1)\n")
    code, found, _ = check("--write-baseline")
    assert (code, found) == (2, [["a.py", "2"]])
    assert entries() == []


def test_what_was_known_of_it_stays(check):
    Path("a.py").write_text(ONE)
    check("--write-baseline")
    Path("a.py").write_text(ONE + ")")
    assert check("--write-baseline")[0] == 2
    assert [each["path"] for each in entries()] == ["a.py"]


def test_known_findings_are_neither_fixed_nor_shown_as_a_diff(attncheck):
    Path("a.py").write_text(ONE)
    attncheck("a.py", "--baseline", "known.json", "--write-baseline")
    Path("a.py").write_text(TWO)
    done = attncheck("a.py", "--baseline", "known.json", "--diff")
    assert done.code == 1
    assert done.out.count("\n+    projected_enc") == 1
    assert done.err == "1 finding would be fixed in 1 file\n"
    done = attncheck("a.py", "--baseline", "known.json", "--fix")
    assert done.code == 0
    assert "no findings. 1 finding fixed in 1 file. 1 finding left out as known" in done.out
    before, after = Path("a.py").read_text().split("def others")
    assert "encoder_states @ U_a\n" in before
    assert "encoder_states @ U_a.T\n" in after


@pytest.mark.parametrize("name", ["json", "sarif", "github", "gitlab", "junit"])
def test_in_every_format(attncheck, name):
    Path("a.py").write_text(ONE)
    attncheck("a.py", "--baseline", "known.json", "--write-baseline")
    done = attncheck("a.py", "--baseline", "known.json", "--output-format", name)
    assert (done.code, done.err) == (0, "")
    assert "transposed-operand" not in done.out


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (None, "there is no such baseline; --write-baseline makes it"),
        ("{", "this is no baseline of attncheck"),
        ("[]", "this is no baseline of attncheck"),
        ('{"findings": [1]}', "this is no baseline of attncheck"),
        ('{"findings": [{"path": "a.py"}]}', "this is no baseline of attncheck"),
        (
            '{"findings": [{"path": 1, "rule": "", "function": "", "code": "", "count": 1}]}',
            "this is no baseline of attncheck",
        ),
        ("[" * 100_000, "this is no baseline of attncheck"),
    ],
)
def test_a_file_that_is_none(attncheck, text, message):
    Path("a.py").write_text(ONE)
    if text is not None:
        Path("known.json").write_text(text)
    done = attncheck("a.py", "--baseline", "known.json")
    assert (done.code, done.out) == (2, "")
    assert done.err == f"attncheck: error: known.json: {message}\n"


def test_one_that_cannot_be_read_or_written(attncheck):
    Path("a.py").write_text(ONE)
    Path("known.json").mkdir()
    done = attncheck("a.py", "--baseline", "known.json")
    assert done.err == "attncheck: error: known.json: cannot be read: Is a directory\n"
    done = attncheck("a.py", "--baseline", "no/known.json", "--write-baseline")
    assert (done.code, done.out) == (2, "")
    assert done.err == (
        "attncheck: error: no/known.json: cannot be written: No such file or directory\n"
    )
