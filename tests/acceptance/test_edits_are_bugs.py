"""The data of the acceptance test is what it claims to be, shown on numpy without the tool."""

import numpy as np
import pytest
from execution import arguments, formula, run
from single_edits import EDITS, RENDITIONS, UNEDITED, Edit, source

EQUAL = dict.fromkeys(["B", "T_enc", "d_h", "d_s", "d_attn"], 8)
SILENT = ("ATN201", "ATN301")
HAS_DISTINCT_DEMO = {"additive_distinct", "general_distinct", "additive_batched"}
MESSAGE = r"mismatch|not aligned|broadcast"
DOT = [edit for edit in EDITS if not edit.restores]


@pytest.mark.parametrize("rendition", UNEDITED)
@pytest.mark.parametrize("sizes", [None, EQUAL], ids=["distinct", "equal"])
def test_renditions_compute_the_formula(rendition, sizes):
    args = arguments(rendition, sizes)
    done = run(source(rendition), rendition, args)
    context, weights = formula(rendition, args)
    assert done.context.shape == context.shape
    assert done.weights.shape == weights.shape
    np.testing.assert_allclose(done.weights, weights, atol=1e-12)
    np.testing.assert_allclose(done.context, context, atol=1e-12)


@pytest.mark.parametrize("rendition", UNEDITED)
def test_renditions_run_as_scripts(rendition, capsys):
    text = source(rendition)
    exec(compile(text, rendition, "exec"), {"__name__": "__main__"})
    printed = capsys.readouterr().out
    assert ("print(" in text) == any(character.isdigit() for character in printed)


@pytest.mark.parametrize("edit", EDITS, ids=str)
def test_one_line_differs(edit: Edit):
    assert edit.source != edit.unedited_source
    assert 1 <= edit.edited_line <= edit.source.count("\n")
    assert edit.lines
    compile(edit.source, edit.rendition, "exec")


@pytest.mark.parametrize("edit", [edit for edit in EDITS if edit.restores], ids=str)
def test_distinct_sizes_raise_or_differ(edit: Edit):
    args = arguments(edit.rendition)
    if edit.codes[0] not in SILENT:
        with pytest.raises(ValueError, match=MESSAGE):
            run(edit.source, edit.rendition, args)
        return
    assert differs(edit, args)


@pytest.mark.parametrize("edit", [edit for edit in EDITS if edit.restores], ids=str)
def test_equal_sizes_run_and_differ(edit: Edit):
    assert differs(edit, arguments(edit.rendition, EQUAL))


@pytest.mark.parametrize("edit", [edit for edit in EDITS if edit.restores], ids=str)
def test_demos_of_equal_sizes_hide_the_edit(edit: Edit):
    code = compile(edit.source, edit.rendition, "exec")
    if edit.codes[0] in SILENT or edit.rendition not in HAS_DISTINCT_DEMO:
        exec(code, {"__name__": "__main__"})
        return
    with pytest.raises(ValueError, match=MESSAGE):
        exec(code, {"__name__": "__main__"})


def differs(edit, args):
    """Whether the edited file computes something else than the formula."""
    done = run(edit.source, edit.rendition, args)
    context, weights = formula(edit.rendition, args)
    same_shapes = done.context.shape == context.shape and done.weights.shape == weights.shape
    return not (
        same_shapes
        and np.allclose(done.context, context, atol=1e-6)
        and np.allclose(done.weights, weights, atol=1e-6)
    )


@pytest.mark.parametrize("edit", DOT, ids=str)
def test_twice_the_width_has_no_dot_product(edit: Edit):
    with pytest.raises(ValueError, match=MESSAGE):
        run(edit.source, edit.rendition, arguments(edit.rendition, wide=True))
    if "__main__" in edit.source:
        with pytest.raises(ValueError, match=MESSAGE):
            exec(compile(edit.source, edit.rendition, "exec"), {"__name__": "__main__"})


def test_every_rendition_is_edited():
    assert {edit.rendition for edit in EDITS} == set(UNEDITED)
    assert len(UNEDITED) == len(list(RENDITIONS.glob("*.py")))
    assert len({str(edit) for edit in EDITS}) == len(EDITS)
