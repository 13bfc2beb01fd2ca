"""The notation of parameter lists, and how calls are bound to them."""

from __future__ import annotations

from typing import Any

import pytest

from attncheck.algebra.size import const
from attncheck.frameworks import language, lookup
from attncheck.frameworks.spelling import Spelling, parse_signature
from attncheck.operators import elementwise
from attncheck.values.value import UNKNOWN, Const, Int, Mapping, Sequence

ONE, TWO = Int(const(1)), Int(const(2))


def spelling(signature: str, **fixed: Any) -> Spelling:
    return Spelling("torch.f", elementwise.add, signature, dict(fixed))


def test_parameters_are_read_once_with_their_neutral_names() -> None:
    x, axis, dtype = parse_signature("input:x, /, dim:axis=None, *, dtype=None")
    assert (x.spelled, x.neutral, x.required, x.positional_only) == ("input", "x", True, True)
    assert (axis.spelled, axis.neutral, axis.required) == ("dim", "axis", False)
    assert dtype.keyword_only


@pytest.mark.parametrize(
    ("positional", "keywords", "expected"),
    [
        ([ONE], {}, {"x": ONE}),
        ([ONE, TWO], {}, {"x": ONE, "axis": TWO}),
        ([ONE], {"dim": TWO}, {"x": ONE, "axis": TWO}),
        ([], {"input": ONE}, {"x": ONE}),
        ([], {}, None),
        ([ONE, TWO, TWO], {}, None),
        ([ONE, TWO], {"dim": TWO}, None),
        ([ONE], {"axis": TWO}, {"x": ONE, "axis": TWO}),
        ([ONE, TWO], {"axis": TWO}, None),
        ([ONE], {"axes": TWO}, None),
    ],
)
def test_calls_bind_or_do_not_fit(positional: Any, keywords: Any, expected: Any) -> None:
    assert spelling("input:x, dim:axis=None, *, dtype=None").bind(positional, keywords) == expected


@pytest.mark.parametrize("path", ["torch.nn.functional.f", "torch.split", "jax.f"])
def test_names_of_numpy_are_those_of_functions_that_torch_has_compiled(path: str) -> None:
    one = Spelling(path, elementwise.add, "input:x, dim:axis=None")
    assert one.bind([ONE], {"axis": TWO}) is None
    assert one.bind([ONE], {"dim": TWO}) == {"x": ONE, "axis": TWO}


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ([ONE, TWO], Sequence((ONE, TWO))),
        ([ONE], Sequence((ONE,))),
        ([Sequence((ONE, TWO))], Sequence((ONE, TWO))),
        ([UNKNOWN], UNKNOWN),
        ([], Sequence(())),
    ],
)
def test_collected_sizes_are_one_tuple(given: Any, expected: Any) -> None:
    assert spelling("self:x, *size:sizes").bind([ONE, *given], {}) == {"x": ONE, "sizes": expected}


def test_keywords_that_are_left_are_one_mapping() -> None:
    made = spelling("tensor:x, pattern, **axes_lengths:lengths")
    bound = made.bind([ONE], {"pattern": TWO, "h": ONE, "x": TWO})
    lengths = Mapping((("h", ONE), ("x", TWO)))
    assert bound == {"x": ONE, "pattern": TWO, "lengths": lengths}
    assert made.bind([ONE, TWO], {}) == {"x": ONE, "pattern": TWO, "lengths": Mapping(())}
    assert made.bind([ONE, TWO, TWO], {}) is None


def test_positional_only_parameters_take_no_keyword() -> None:
    assert spelling("x1:x, x2:y, /").bind([ONE], {"x2": TWO}) is None


def test_fixed_arguments_are_there_unless_passed() -> None:
    made = spelling("x, axis=None", axis=ONE)
    assert made.bind([TWO], {}) == {"x": TWO, "axis": ONE}
    assert made.bind([TWO, Const(None)], {}) == {"x": TWO, "axis": Const(None)}


def test_lookup_finds_functions_methods_and_properties() -> None:
    found = lookup.find("torch.nn.functional.softmax")
    assert found is not None
    assert found.library == "torch"
    assert lookup.find("torch.Tensor.no_such_method") is None
    assert lookup.is_property("numpy.ndarray.T")
    assert not lookup.is_property("numpy.ndarray.sum")


def test_every_operator_of_the_language_is_spelled_by_a_function_too() -> None:
    spelled = {spelling.operator for spelling in lookup.spellings().values()}
    for token, operator in (language.BINARY | language.UNARY).items():
        named = operator in spelled or token in {"-", "+", "~", "<<", ">>"}
        assert named, token
