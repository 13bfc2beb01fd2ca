"""The tracer against execution: what is claimed of a shape is so when the program runs.

Every example and every program of `programs/` is run; what `trace_shapes` says of its functions,
and what the module's own trace says of the calls that it follows, has to be explained by the shapes
that were seen. The first comment of a program says how many of its places must be known entirely,
so that nothing is gained by falling silent.
"""

import functools
import re
from pathlib import Path

import pytest

from attncheck.analysis import make_tracer
from attncheck.engine import check_source, trace_shapes
from attncheck.settings import Settings
from attncheck.shapes import shape_text
from attncheck.source import load
from tracer.explaining import contradictions
from tracer.observing import observe

PROGRAMS = sorted((Path(__file__).parent / "programs").glob("*.py"))
EXAMPLES = sorted(
    path
    for framework in ("numpy", "torch", "jax")
    for path in (Path(__file__).resolve().parents[2] / "examples" / framework).glob("*.py")
)
every_file = pytest.mark.parametrize("path", [*PROGRAMS, *EXAMPLES], ids=lambda path: path.stem)
#: Functions of the examples that are written for arguments of more than one rank.
ANY_RANK = {"softmax", "masked_softmax", "scaled_dot_product_attention"}
_AT_LEAST = re.compile(r"# At least (\d+) places are known\.")


@functools.cache
def activations(path):
    if path.parent.name == "jax":
        pytest.importorskip("jax")
    return observe(path.read_text(encoding="utf-8"), str(path))


@functools.cache
def rows(path):
    return trace_shapes(path.read_bytes(), path.name, Settings())


def claims_of(path):
    """What is claimed of each function: shapes by place."""
    claims = {}
    for row in rows(path):
        place = (row.line, row.column, row.name)
        claims.setdefault(row.function, {})[place] = row.shape
    return claims


@every_file
def test_claimed_shapes_are_real(path):
    claims = claims_of(path)
    wrong = [
        f"{activation.function}: {text}"
        for activation in activations(path)
        for text in contradictions(claims.get(activation.function, {}), activation.shapes)
    ]
    assert wrong == []


@every_file
def test_followed_calls_have_the_shapes_of_the_latest_call(path):
    latest = {each.function: each for each in activations(path) if not each.inner}
    source = load(path.read_bytes(), path.name)
    traced = make_tracer(source, Settings()).run_module()
    wrong = []
    for function, sites in traced.inner.items():
        claims = {}
        for site in sites:
            span = source.span(site.node)
            shape = shape_text(site.value, traced.facts)
            claims.setdefault((span.line, span.column, site.name), set()).add(shape)
        if function in latest:
            # A loop that was followed item by item passes one place more than once.
            told = {place: shapes.pop() for place, shapes in claims.items() if len(shapes) == 1}
            wrong += contradictions(told, latest[function].shapes)
    assert wrong == []


def places_known(path):
    """The places that were seen, and how many of them are known without a ``?``."""
    claims = claims_of(path)
    seen = {
        (activation.function, place)
        for activation in activations(path)
        for place in activation.shapes
    }
    known = [
        shape
        for function, place in seen
        if (shape := claims.get(function, {}).get(place)) is not None and "?" not in shape
    ]
    return len(known), len(seen)


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_enough_is_known(path):
    first = path.read_text(encoding="utf-8").splitlines()[0]
    stated = _AT_LEAST.fullmatch(first)
    assert stated is not None, first
    known, seen = places_known(path)
    assert known >= int(stated[1]), f"{known} of {seen}"


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_examples_are_known_entirely(path):
    claims = claims_of(path)
    unknown = {
        activation.function
        for activation in activations(path)
        for place in activation.shapes
        if (shape := claims.get(activation.function, {}).get(place)) is None or "?" in shape
    }
    assert unknown <= ANY_RANK


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_programs_give_no_findings(path):
    findings = check_source(path.read_bytes(), path.name, Settings()).findings
    assert [(finding.line, finding.message) for finding in findings] == []
