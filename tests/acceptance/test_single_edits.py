"""The acceptance test: one edit of correct attention gives one finding that explains and undoes it.

For each edit of `single_edits.py`: exactly one finding, at the edited line, that names the right
tensor and the shape it should have; a fix that gives back the original line, or its values when
executed; and asserts that hold after the fixed line and do not in the edited file. The unedited
files give nothing at all.
"""

import ast
import functools
import re

import numpy as np
import pytest
from execution import SIZES, applied, arguments, formula, holds, run
from single_edits import EDITS, UNEDITED, Edit, source

from attncheck.engine import check_source
from attncheck.settings import Settings

RESTORED = [edit for edit in EDITS if edit.restores]
PROJECTED = [edit for edit in EDITS if not edit.restores]


def findings(text, rendition):
    return list(check_source(text.encode(), f"{rendition}.py", Settings()).findings)


@functools.cache
def found(number):
    edit = EDITS[number]
    return findings(edit.source, edit.rendition)


def finding_of(edit):
    """The only finding: what the other tests look at."""
    (finding,) = found(EDITS.index(edit))
    return finding


def spelled(size):
    """One spelling for a size: no spaces, factors in order, B for the batch."""
    text = re.sub(r"\s", "", str(size))
    text = "*".join(sorted(text.split("*")))
    return "B" if text in ("batch_size", "batch") else text


@pytest.mark.parametrize("rendition", UNEDITED)
def test_the_unedited_file_is_clean(rendition):
    assert findings(source(rendition), rendition) == []


@pytest.mark.parametrize("edit", EDITS, ids=str)
def test_exactly_one_finding_at_the_edited_line(edit: Edit):
    assert [(f.code in edit.codes, f.line in edit.lines) for f in found(EDITS.index(edit))] == [
        (True, True)
    ], [(f.code, f.line, f.message) for f in found(EDITS.index(edit))]


@pytest.mark.parametrize("edit", EDITS, ids=str)
def test_the_tensor_and_the_shape_it_should_have(edit: Edit):
    finding = finding_of(edit)
    wanted = {re.sub(r"\s", "", name): shape for name, shape in edit.accepts}
    name = re.sub(r"\s", "", finding.tensor.name)
    assert name in wanted
    assert [spelled(size) for size in finding.expected.shape] == [spelled(s) for s in wanted[name]]


def same_code(left, right):
    return ast.dump(ast.parse(left.strip())) == ast.dump(ast.parse(right.strip()))


@pytest.mark.parametrize("edit", RESTORED, ids=str)
def test_the_fix_restores_the_line_or_its_values(edit: Edit):
    finding = finding_of(edit)
    fixed, line = applied(edit.source, finding)
    assert finding.fix.line in [text.strip() for text in fixed.split("\n")]
    if same_code(finding.fix.line, edit.fixed_line):
        assert line == edit.edited_line
    args = arguments(edit.rendition)
    done = run(fixed, edit.rendition, args)
    context, weights = formula(edit.rendition, args)
    assert done.context.shape == context.shape
    assert done.weights.shape == weights.shape
    np.testing.assert_allclose(done.weights, weights, atol=1e-12)
    np.testing.assert_allclose(done.context, context, atol=1e-12)
    assert findings(fixed, edit.rendition) == []


def hold_now_and_not_before(edit, finding, done, args, line):
    for assertion in finding.regression:
        holds(assertion, done, line)
    with pytest.raises((AssertionError, ValueError)):
        broken = run(edit.source, edit.rendition, args)
        for assertion in finding.regression:
            holds(assertion, broken, line)


@pytest.mark.parametrize("edit", RESTORED, ids=str)
def test_the_asserts_hold_once_fixed_and_not_before(edit: Edit):
    finding = finding_of(edit)
    assert finding.regression
    args = arguments(edit.rendition)
    fixed, line = applied(edit.source, finding)
    done = run(fixed, edit.rendition, args)
    hold_now_and_not_before(edit, finding, done, args, line)


def new_names(line, text):
    """The names of a line that the file does not have."""
    known = {node.id for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Name)}
    known |= {node.arg for node in ast.walk(ast.parse(text)) if isinstance(node, ast.arg)}
    return {n.id for n in ast.walk(ast.parse(line)) if isinstance(n, ast.Name)} - known


def with_projection(edit):
    """Run the fixed file with the new name bound to a projection, stored in whichever order."""
    finding = finding_of(edit)
    (name,) = new_names(finding.fix.line, edit.source)
    fixed, line = applied(edit.source, finding)
    size = SIZES["d_hidden"]
    projection = np.random.default_rng(1).standard_normal((size, 2 * size))
    args = arguments(edit.rendition, wide=True)
    for stored in (projection, projection.T):
        try:
            return run(fixed, edit.rendition, args, {name: stored}), projection, args, line
        except ValueError:
            continue
    raise AssertionError(f"`{finding.fix.line}` runs with no orientation of `{name}`")


@pytest.mark.parametrize("edit", PROJECTED, ids=str)
def test_different_sizes_are_projected_and_never_cut(edit: Edit):
    finding = finding_of(edit)
    for candidate in ast.walk(ast.parse(finding.fix.line)):
        assert not isinstance(candidate, ast.Subscript)
    done, projection, args, _ = with_projection(edit)
    _, weights = formula("general", [*args, projection])
    assert done.weights.shape == (SIZES["T_enc"],)
    np.testing.assert_allclose(done.weights, weights, atol=1e-9)


@pytest.mark.parametrize("edit", PROJECTED, ids=str)
def test_asserts_hold_once_projected_and_not_before(edit: Edit):
    finding = finding_of(edit)
    assert finding.regression
    done, _, args, line = with_projection(edit)
    hold_now_and_not_before(edit, finding, done, args, line)
