"""What attncheck answers to each broken example, held against what a careful reviewer would answer.

`examples/broken/*/expected.json` is the data. An answer is taken at its word: its edits are made,
the corrected file has to compute what the clean twin computes, and its asserts have to hold there.
"""

import ast
import functools

import example_catalogue as catalogue
import pytest
from broken_examples import BROKEN, ROOT, expectation, name_of, outcome, projection, same, twin

from attncheck.edits import apply_edits
from attncheck.engine import check_source
from attncheck.rule import find_rule
from attncheck.settings import Settings

CLEAN = [path for name in catalogue.FRAMEWORKS for path in sorted(ROOT.glob(f"{name}/*.py"))]
WITH_FIX = [
    path for path in BROKEN if (rule := find_rule(name_of(path))) is not None and rule.fix != "none"
]
#: Parts of an answer that are known to fall short of the reviewer's; the rest of it is compared.
SHORT_OF = {
    "einsum-mismatch": ("expected_shape",),
    "outer-broadcast": ("tensor",),
}

every_broken = pytest.mark.parametrize("path", BROKEN, ids=name_of)
every_fix = pytest.mark.parametrize("path", WITH_FIX, ids=name_of)


@functools.cache
def answer(source, path):
    """The only finding about a broken example."""
    (finding,) = check_source(source.encode(), str(path), Settings()).findings
    return finding


def parts(finding):
    """A finding's parts under the keys of `expected.json`."""
    tensor, expected = finding.tensor, finding.expected
    return {
        "tensor": tensor and tensor.name,
        "shape": tensor and tensor.shape and list(tensor.shape),
        "expected_shape": expected and expected.shape and list(expected.shape),
        "fix": finding.fix and finding.fix.line,
    }


def fixed(source, finding):
    """The file with the finding's own edits made."""
    return apply_edits(source.encode(), finding.fix.edits).decode()


def inputs_of(wanted, seed):
    """The clean twin, its inputs, the names a fix needs, and the values that are right."""
    example = twin(wanted)
    inputs = example.inputs(seed, **wanted.get("sizes", {}))
    if "introduces" not in wanted:
        return example, inputs, {}, example.run(inputs)
    names, weights = projection(wanted)
    general = twin({"clean": "numpy/general.py"})
    return example, inputs, names, general.run(inputs | weights)


def with_asserts(source, finding):
    """A file with the finding's asserts, each where the names that it uses are there."""
    lines = source.split("\n")
    tree = ast.parse(source)
    for text in reversed(finding.regression):
        statement = beside(tree, finding.fix.edits[0].span.line, text)
        before = isinstance(statement, ast.Return)
        place = statement.lineno - 1 if before else statement.end_lineno
        lines.insert(place, " " * statement.col_offset + text)
    return "\n".join(lines)


def beside(tree, line, text):
    """The statement that an assert belongs to: in `line`, or the one that makes what it names."""
    loaded = {node.id for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Name)}
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    here = next(each for each in functions if each.lineno <= line <= each.end_lineno)
    home = max([here, *functions], key=lambda function: len(names_of(function) & loaded))
    if home is here:
        return next(each for each in home.body if each.lineno == line)
    return [each for each in home.body if names_of(each) & loaded][-1]


def names_of(node):
    """The names that a function or a statement gives values to."""
    return {
        each.arg if isinstance(each, ast.arg) else each.id
        for each in ast.walk(node)
        if isinstance(each, ast.arg) or (isinstance(each, ast.Name) and type(each.ctx) is ast.Store)
    }


@every_broken
def test_one_finding_where_the_mistake_is(path):
    wanted, source = expectation(path)
    finding = answer(source, path)
    told = finding.code, finding.name, finding.severity
    assert told == (wanted["code"], wanted["name"], wanted["severity"])
    assert finding.line in (wanted["line"], *wanted.get("also_ok_lines", ()))


@every_broken
def test_tensor_shape_and_fix(path):
    wanted, source = expectation(path)
    told = parts(answer(source, path))
    if path not in WITH_FIX:
        assert told.pop("fix") is None
    for key, value in told.items():
        if key in wanted and key not in SHORT_OF.get(name_of(path), ()):
            assert value == wanted[key], key


@pytest.mark.parametrize(
    ("name", "key"), [(n, key) for n, keys in SHORT_OF.items() for key in keys]
)
def test_what_falls_short_is_still_so(name, key):
    """Where an answer has become the reviewer's, its entry in SHORT_OF has to go."""
    path = ROOT / "broken" / name / "expected.json"
    wanted, source = expectation(path)
    assert parts(answer(source, path))[key] != wanted[key]


@every_fix
def test_the_fix_computes_what_the_clean_twin_computes(path):
    wanted, source = expectation(path)
    example, inputs, names, right = inputs_of(wanted, 11)
    corrected = fixed(source, answer(source, path))
    for value, clean in zip(outcome(corrected, example, inputs, names), right, strict=True):
        assert same(value, clean)


@every_fix
def test_nothing_is_found_after_the_fix(path):
    wanted, source = expectation(path)
    corrected = fixed(source, answer(source, path))
    assert check_source(corrected.encode(), wanted["file"], Settings()).findings == ()


@every_fix
def test_the_asserts_hold_after_the_fix(path):
    wanted, source = expectation(path)
    finding = answer(source, path)
    if wanted["tensor"] is None:
        assert finding.regression == ()
        return
    assert finding.regression
    example, inputs, names, right = inputs_of(wanted, 12)
    checked = with_asserts(fixed(source, finding), finding)
    for value, clean in zip(outcome(checked, example, inputs, names), right, strict=True):
        assert same(value, clean)


@pytest.mark.parametrize(
    "path", [p for p in BROKEN if expectation(p)[0].get("assert_catches")], ids=name_of
)
def test_the_asserts_catch_the_silent_bug(path):
    wanted, source = expectation(path)
    example, inputs, names, _ = inputs_of(wanted, 13)
    with pytest.raises(AssertionError):
        outcome(with_asserts(source, answer(source, path)), example, inputs, names)


@pytest.mark.parametrize("path", CLEAN, ids=lambda path: "/".join(path.parts[-2:]))
def test_nothing_is_found_in_the_clean_examples(path):
    result = check_source(path.read_bytes(), str(path), Settings())
    assert (result.status, result.findings) == ("checked", ())
