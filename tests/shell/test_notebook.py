"""Notebooks: cells as one module, what only IPython understands, and what is no notebook at all."""

import ast
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from attncheck.notebook import read_notebook
from attncheck.source import MAX_BYTES, NotChecked, SourceError, read, split_lines

from .samples import ATTENTION

WHERE = "cell 4, line 6, column 21"


def notebook(*cells, **extra):
    """The JSON of a notebook; a cell is its text, or a pair of its type and its text."""
    pairs = [cell if isinstance(cell, tuple) else ("code", cell) for cell in cells]
    made = [
        {"cell_type": kind, "metadata": {}, "source": text.splitlines(keepends=True)}
        for kind, text in pairs
    ]
    return json.dumps({"cells": made, "metadata": {}, "nbformat": 4, **extra}, indent=1)


def module(*cells):
    """The text of the module that the cells make."""
    return read_notebook(notebook(*cells).encode()).text


#: The sample's function, one line higher than in the sample, in the fourth cell.
SPLIT = notebook(
    ("markdown", "# Attention\n\nwith numpy"),
    "%matplotlib inline\nimport numpy as np\n\n!pip install numpy",
    ("raw", "not for Python"),
    ATTENTION.removeprefix("import numpy as np\n"),
)


class TestCells:
    def test_are_joined_and_keep_their_numbers(self):
        text = "a = 1\nb = 2\n\nc = 3\n"
        made = read_notebook(notebook("a = 1\nb = 2\n", ("markdown", "c = 0"), "c = 3").encode())
        assert made.text == text
        assert [(cell.number, cell.start) for cell in made.cells] == [(1, 1), (3, 4)]

    def test_pages_are_what_each_cell_says(self):
        said = read(notebook("%time f()\nb = 2", ("markdown", ""), "c = 3\n").encode(), "n.ipynb")
        assert list(said.pages()) == [(1, ("%time f()", "b = 2")), (3, ("c = 3", ""))]
        assert list(read(b"a = 1\n", "a.py").pages()) == [(None, ["a = 1", ""])]

    def test_a_source_may_be_one_text_and_have_any_line_ending(self):
        document = json.loads(notebook("x"))
        document["cells"][0]["source"] = "x = 1\r\ny = 2\rz = 3"
        assert read_notebook(json.dumps(document).encode()).text == "x = 1\ny = 2\nz = 3\n"

    def test_version_3_keeps_them_in_worksheets(self):
        cells = [{"cell_type": "code", "input": ["x = 1\n", "y = 2"]}]
        old = {"nbformat": 3, "metadata": {}, "worksheets": [{"cells": cells}]}
        assert read_notebook(json.dumps(old).encode()).text == "x = 1\ny = 2\n"

    def test_those_in_another_language_are_left_out(self):
        document = json.loads(notebook("x = 1", "SELECT 1"))
        document["cells"][1]["metadata"] = {"vscode": {"languageId": "sql"}}
        assert read_notebook(json.dumps(document).encode()).text == "x = 1\n"

    def test_a_byte_order_mark_is_no_part_of_them(self):
        assert read_notebook(b"\xef\xbb\xbf" + notebook("x = 1").encode()).text == "x = 1\n"

    def test_a_coding_comment_means_nothing_in_them(self):
        cell = "# coding: latin-1\nname = 'Andr\u00e9'"
        assert read(notebook(cell).encode(), "n.ipynb").text == cell + "\n"


@pytest.mark.parametrize(
    ("cell", "expected"),
    [
        ("%matplotlib inline\nx = 1", "pass\nx = 1"),
        ("if x:\n    !ls\n    y = 1", "if x:\n    pass\n    y = 1"),
        ("?x\nx?\nx.y??\n??x", "pass\npass\npass\npass"),
        ("%timeit f(x)\n", "pass\n"),
        ("files = !ls\nn = %who_ls", "files = __output__\nn = __output__"),
        ("d['a=%'], e[0] = !ls", "d['a=%'], e[0] = __output__"),
        ("!echo a \\\n  b \\\n  c\nx = 1", "pass\n\n\nx = 1"),
        ("!ls (\nx = 1", "pass\nx = 1"),
        ("!echo '\nx = 1", "pass\nx = 1"),
        ("%%time\nx = 1", "\nx = 1"),
        ("\n%%capture out\nx = 1\n%pwd", "\n\nx = 1\npass"),
        ("%%bash\nfor f in *; do\n  echo $f\ndone", "\n\n\n"),
        ("%%writefile a.py\nx = (", "\n"),
        ("%%html", ""),
        # Python, which has to stay
        ("x = (10\n% 3)", "x = (10\n% 3)"),
        ("x = 10 \\\n% 3", "x = 10 \\\n% 3"),
        ('s = """\n%time\n!ls\n"""\ny = 1', 's = """\n%time\n!ls\n"""\ny = 1'),
        ("s = '%d' % x", "s = '%d' % x"),
        ('d["a=%s" % k] = 1', 'd["a=%s" % k] = 1'),
        ("a != b\nf(x=1)\nx %= 2", "a != b\nf(x=1)\nx %= 2"),
        ("x = 1  # why?", "x = 1  # why?"),
        ("print('what?')\n'?'", "print('what?')\n'?'"),
        ("# (\n!ls", "# (\npass"),
        ("s = '(['\n!ls", "s = '(['\npass"),
        ("f(\n  a,\n)\n!ls", "f(\n  a,\n)\npass"),
        ("await f(x)", "await f(x)"),
    ],
)
def test_magics_do_nothing_and_move_no_line(cell, expected):
    text = module("before = 1", cell, "after = 2")
    assert text == f"before = 1\n{expected}\nafter = 2\n"
    ast.parse(text)


LINES = st.sampled_from(
    [
        "x = 1",
        "%time",
        "!ls",
        "x?",
        "",
        "y = !ls",
        "%%bash",
        "%%time",
        "'''",
        "(",
        ")",
        "a \\",
        "# (",
    ]
)


@given(st.lists(st.lists(LINES, max_size=6), min_size=1, max_size=4))
def test_every_line_stays_where_it_was(cells):
    texts = ["x = 0", *("\n".join(lines) for lines in cells)]
    made = read_notebook(notebook(*texts).encode())
    assert len(split_lines(made.text)) == len(made.lines) + 1
    assert list(made.lines) == [line for text in texts for line in split_lines(text)]
    for cell, text in zip(made.cells, texts, strict=True):
        assert made.lines[cell.start - 1] == split_lines(text)[0]
    for written, python in zip(made.lines, split_lines(made.text), strict=False):
        assert python in {written, "", "pass", "y = __output__"}


@pytest.mark.parametrize(
    ("data", "message", "place"),
    [
        (b"", "not valid JSON, so it is no notebook: Expecting value", (1, 1)),
        (
            b'{"cells": [\n  {"a" 1}]}',
            "not valid JSON, so it is no notebook: Expecting ':' delimiter",
            (2, 8),
        ),
        (b'{"a":\n"\xff"}', "not valid JSON, so it is no notebook: not utf-8", (2, 1)),
        (b"[" * 100_000, "no notebook: its JSON is nested too deeply", (1, 1)),
        (b"[]", "no notebook: expected a JSON object with a list `cells`", (1, 1)),
        (b'{"cells": {}}', "no notebook: expected a JSON object with a list `cells`", (1, 1)),
        (
            b'{"cells": [{"cell_type": "code", "source": 3}]}',
            "no notebook: the source of cell 1 is no text",
            (1, 1),
        ),
        (
            notebook("x = '" + "a" * MAX_BYTES + "'").encode(),
            "too large: 1.0 MB, and no more than 1 MB are read",
            (1, 1),
        ),
        (
            notebook("x = 1", "y = '\0'").encode(),
            "holds a NUL character, so it is no Python source",
            (2, 6),
        ),
        (notebook("x = '\ud800'").encode(), "cannot be decoded as utf-8", (1, 1)),
    ],
)
def test_what_is_no_notebook_is_refused(data, message, place):
    with pytest.raises(SourceError) as caught:
        read(data, "n.ipynb")
    error = caught.value
    assert (error.message, (error.line, error.column)) == (message, place)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (
            notebook("x <- 1", metadata={"kernelspec": {"language": "R", "name": "ir"}}),
            "notebook in another language than Python",
        ),
        (
            notebook("1", metadata={"language_info": {"name": "julia"}}),
            "notebook in another language than Python",
        ),
        (notebook(), "notebook without code"),
        (notebook(("markdown", "x = 1"), " \n"), "notebook without code"),
    ],
)
def test_what_has_no_python_is_skipped(text, reason):
    with pytest.raises(NotChecked) as caught:
        read(text.encode(), "n.ipynb")
    assert caught.value.reason == reason


@pytest.mark.parametrize("name", ["Python", "ipython", "python3", "", None, 3])
def test_a_notebook_is_python_unless_it_says_otherwise(name):
    for metadata in ({"language_info": {"name": name}}, {"kernelspec": {"language": name}}, None):
        assert read_notebook(notebook("x = 1", metadata=metadata).encode()).text == "x = 1\n"


class TestCommand:
    """The real command on the sample's bug in the fourth cell."""

    @pytest.fixture(autouse=True)
    def split(self, folder):
        Path("attn.ipynb").write_text(SPLIT)

    def test_a_finding_is_in_a_cell(self, attncheck):
        done = attncheck("attn.ipynb")
        assert (done.code, done.err) == (1, "")
        first, code, _, tensor, *rest = done.out.splitlines()
        assert first.startswith(f"attn.ipynb: {WHERE}: ATN102 transposed-operand: `encoder_states")
        assert code == "       6 | projected_enc = encoder_states @ U_a"
        assert tensor.endswith(", cell 4, line 3")
        assert "  fix      projected_enc = encoder_states @ U_a.T" in rest
        assert rest[-1].startswith("checked 1 file: 1 warning. ")

    def test_concise(self, attncheck):
        out = attncheck("attn.ipynb", "--output-format", "concise").out
        assert out.startswith(f"attn.ipynb: {WHERE}: ATN102 transposed-operand: ")

    def test_in_a_folder_and_from_standard_input(self, attncheck):
        assert attncheck(".").out.startswith(f"attn.ipynb: {WHERE}: ATN102")
        done = attncheck("-", "--stdin-filename", "nb/x.ipynb", stdin=SPLIT.encode())
        assert done.code == 1
        assert done.out.startswith(f"nb/x.ipynb: {WHERE}: ATN102")

    def test_json_has_the_cell_beside_every_line(self, attncheck):
        data = json.loads(attncheck("attn.ipynb", "--output-format", "json").out)
        (finding,) = data["findings"]
        place = ["cell", "line", "column", "end_line", "end_column"]
        assert [finding[key] for key in place] == [4, 6, 21, 6, 41]
        (edit,) = finding["fix"]["edits"]
        assert [edit[key] for key in place] == [4, 6, 38, 6, 41]
        decided = finding["tensor"]["decided_at"]
        assert (decided["cell"], decided["line"]) == (4, 3)
        assert {(step["cell"], step["line"]) for step in finding["trace"]} == {(4, 3)}

    def test_json_of_a_plain_file_has_no_cell(self, attncheck):
        Path("attn.py").write_text(ATTENTION)
        out = attncheck("attn.py", "--output-format", "json").out
        assert '"line": 7,' in out
        assert '"cell"' not in out

    def test_shapes(self, attncheck):
        done = attncheck("shapes", "attn.ipynb")
        lines = done.out.splitlines()
        assert done.code == 0
        assert lines[:2] == ["attn.ipynb: cell 2", "1 | %matplotlib inline"]
        start = lines.index("attn.ipynb: cell 4")
        code, _, shapes = lines[start + 4].partition("decoder_state")
        assert code == "4 |     projected_dec = W_a @ "
        assert "projected_dec" in shapes
        rows = json.loads(attncheck("shapes", "attn.ipynb", "--output-format", "json").out)
        told = [(row["cell"], row["line"], row["name"]) for row in rows["shapes"]]
        assert (4, 4, "projected_dec") in told
        assert (4, 6, "projected_enc") in told

    def test_a_suppression_in_a_cell(self, attncheck):
        line = "projected_enc = encoder_states @ U_a"
        Path("attn.ipynb").write_text(
            SPLIT.replace(line, f"{line}  # attncheck: ignore[transposed-operand] a test")
        )
        assert attncheck("attn.ipynb").code == 0

    def test_a_syntax_error_is_in_a_cell(self, attncheck):
        Path("broken.ipynb").write_text(notebook("import numpy", "x = 1\ny = f(x))\n"))
        done = attncheck("broken.ipynb", "--quiet")
        assert done.code == 2
        place = "broken.ipynb: cell 2, line 2, column 9"
        assert done.out.startswith(
            f"{place}: ATN902 file-not-parsed: unmatched ')'\n       2 | y ="
        )

    def test_what_is_left_out_is_said(self, attncheck):
        r = {"kernelspec": {"language": "R"}}
        Path("r.ipynb").write_text(notebook("x <- 1", metadata=r))
        Path("prose.ipynb").write_text(notebook(("markdown", "numpy")))
        Path("broken.ipynb").write_text("{")
        done = attncheck("r.ipynb", "prose.ipynb", "broken.ipynb", "--output-format", "concise")
        assert done.code == 2
        assert done.out.splitlines() == [
            "broken.ipynb:1:2: ATN902 file-not-parsed: not valid JSON, so it is no notebook: "
            "Expecting property name enclosed in double quotes",
            "checked 0 files (1 skipped: notebook in another language than Python; "
            "1 skipped: notebook without code; 1 not parsed): 1 error",
        ]
        assert attncheck("r.ipynb").code == 0
        shown = attncheck("shapes", "r.ipynb", "broken.ipynb")
        assert (shown.code, shown.out) == (2, "")
        assert shown.err.startswith("attncheck: error: broken.ipynb: not valid JSON")
