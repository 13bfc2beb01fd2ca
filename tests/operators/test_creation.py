"""Makers of tensors and questions about them: what the registry's random calls do not show."""

from __future__ import annotations

import pytest
import torch

from attncheck.algebra.facts import Facts
from attncheck.algebra.shape import SCALAR, Row, Shape, open_shape, shape_of
from attncheck.algebra.size import Size, Symbol, const, of
from attncheck.frameworks import lookup
from attncheck.operators.call import Call
from attncheck.operators.events import Outcome
from attncheck.values.tensor import Tensor
from attncheck.values.value import UNKNOWN, Const, Int, Library, Parameter, Scalar, Sequence, Value

B, T, D = (of(Symbol(name)) for name in "BTD")


def call(path: str, *positional: Value, facts: Facts | None = None, **keywords: Value) -> Outcome:
    spelling = lookup.find(path)
    assert spelling is not None
    bound = spelling.bind(list(positional), keywords)
    assert bound is not None
    return spelling.operator(Call(facts or Facts(), bound, spelling.library, path))


def shape(outcome: Outcome) -> str:
    assert isinstance(outcome.value, Tensor)
    return str(outcome.value.shape)


def ints(*sizes: Size | int) -> Sequence:
    return Sequence(tuple(Int(const(s) if isinstance(s, int) else s) for s in sizes))


def parameter(name: str) -> Parameter:
    size = of(Symbol(name, flexible=True))
    return Parameter(name, Tensor(open_shape(name)), Int(size))


@pytest.mark.parametrize(
    ("path", "arguments"),
    [
        ("torch.randint", (Int(const(5)), ints(B, T))),
        ("torch.randint", (Int(const(0)), Int(const(5)), ints(B, T))),
        ("torch.zeros", (Int(B), Int(T))),
        ("torch.zeros", (ints(B, T),)),
        ("torch.Tensor", (Int(B), Int(T))),
        ("numpy.random.randn", (Int(B), Int(T))),
        ("numpy.zeros", (ints(B, T),)),
        ("numpy.random.Generator.standard_normal", (ints(B, T),)),
        ("numpy.random.RandomState.normal", (Const(0.0), Const(1.0), ints(B, T))),
    ],
)
def test_sizes_wherever_they_stand(path: str, arguments: tuple[Value, ...]) -> None:
    assert shape(call(path, *arguments)) == "(B, T)"


def test_a_list_is_data_where_sizes_are_numbers() -> None:
    assert shape(call("torch.Tensor", ints(1, 2, 3))) == "(3,)"
    assert shape(call("torch.Tensor", Int(const(1)), Int(const(2)))) == "(1, 2)"


def test_sizes_as_a_tuple_are_told_where_numpy_wants_numbers() -> None:
    outcome = call("numpy.random.randn", ints(B, T))
    assert outcome.clash is not None
    assert outcome.clash.text == "takes its sizes as separate arguments, not as a tuple"


def test_a_size_alone_behind_the_first_is_one_of_them() -> None:
    second = parameter("d_in")
    assert shape(call("numpy.random.randn", Int(B), second)) == "(B, d_in)"
    assert shape(call("numpy.random.rand", second, second)) == "(d_in, d_in)"
    assert shape(call("torch.Tensor", Int(B), second)) == "(B, d_in)"
    assert shape(call("numpy.random.randn", Int(B))) == "(B,)"


@pytest.mark.parametrize(
    ("name", "made"),
    [("hidden_size", "(hidden_size,)"), ("T", "(T,)"), ("size", "None"), ("img_size", "None")],
)
def test_an_argument_may_be_a_tuple_unless_its_name_is_a_number(name: str, made: str) -> None:
    assert shape(call("numpy.zeros", parameter(name))) == made


@pytest.mark.parametrize(
    ("dtype", "category"),
    [
        (Library("torch.long"), "int"),
        (Library("torch.bfloat16"), "float"),
        (Library("torch.bool"), "bool"),
        (Library("numpy.float32"), "float"),
        (Library("numpy.uint8"), "int"),
        (Const("float64"), "float"),
        (Library("torch.complex64"), None),
    ],
)
def test_dtype_arguments(dtype: Value, category: str | None) -> None:
    outcome = call("torch.ones", Int(T), dtype=dtype)
    assert isinstance(outcome.value, Tensor)
    assert outcome.value.dtype == category


@pytest.mark.parametrize(
    ("arguments", "made"),
    [
        ((Int(T),), "(T,)"),
        ((Int(const(1)), Int(T + 1)), "(T,)"),
        ((Int(const(0)), Int(2 * D), Int(const(2))), "(D,)"),
        ((Int(const(0)), Int(D), Int(const(2))), "((D + 1)//2,)"),
        ((Int(T), Int(const(0)), Int(const(-1))), "(T,)"),
        ((Int(T - 1), Int(const(-1)), Const(-1.0)), "(T,)"),
        ((Int(const(0)), Int(2 * D), Const(2.0)), "(D,)"),
        ((Const(0.0), Int(T)), "(T,)"),
        ((Int(const(0)), Int(T), Const(0.5)), "(?,)"),
        ((Const(0.5), Int(T)), "(?,)"),
    ],
)
def test_ranges(arguments: tuple[Value, ...], made: str) -> None:
    assert shape(call("torch.arange", *arguments)) == made


def test_numpy_ranges_that_may_be_empty_are_unknown() -> None:
    assert shape(call("numpy.arange", Int(D), Int(T))) == "(?,)"
    assert shape(call("numpy.arange", Int(T), Int(const(1)))) == "(0,)"


@pytest.mark.parametrize(
    ("path", "given", "made"),
    [
        ("torch.randperm", Int(T), "(T,)"),
        ("torch.randperm", Tensor(SCALAR, "torch", "int"), "(?,)"),
        ("torch.randperm", Tensor(None, "torch"), "(?,)"),
        ("torch.randperm", Scalar("int"), "(?,)"),
        ("numpy.random.permutation", Int(T), "(T,)"),
        ("numpy.random.permutation", Scalar("int"), "(?,)"),
        ("numpy.random.permutation", Tensor(shape_of(T, D), "numpy"), "(T, D)"),
        ("numpy.random.permutation", Tensor(None, "numpy"), "None"),
        ("numpy.random.permutation", UNKNOWN, "None"),
    ],
)
def test_permutations(path: str, given: Value, made: str) -> None:
    assert shape(call(path, given)) == made


def test_generators_are_found_by_the_names_of_their_methods() -> None:
    outcome = call("numpy.random.default_rng", Int(const(0)))
    assert outcome.value == Library("numpy.random.Generator")


def test_lists_of_tensors_become_their_stack() -> None:
    rows = Sequence(None, element=Tensor(shape_of(D), "numpy", "float"), length=T)
    assert shape(call("numpy.array", rows)) == "(T, D)"
    assert shape(call("torch.tensor", rows)) == "None"


def test_a_size_read_from_an_unseen_tensor_is_its_size_later() -> None:
    facts = Facts()
    unseen = Tensor(open_shape("x"), "torch")
    read = call("torch.Tensor.size", unseen, Int(const(1)), facts=facts)
    assert isinstance(read.value, Int)
    assert read.value.size is not None
    joined = Sequence((unseen, Tensor(shape_of(B, T, D), "torch")))
    call("torch.cat", joined, Int(const(2)), facts=facts)
    assert facts.resolve(read.value.size) == T


def test_the_shape_of_an_open_tensor_is_unknown() -> None:
    half_known = Tensor(Shape((), Row("x"), shape_of(D).lead), "torch")
    assert not isinstance(call("torch.Tensor.shape", half_known).value, Sequence)
    last = call("torch.Tensor.size", half_known, Int(const(-1)))
    assert last.value == Int(D)


def test_an_axis_that_is_not_there_is_told() -> None:
    outcome = call("torch.Tensor.size", Tensor(shape_of(B, T), "torch"), Int(const(2)))
    assert outcome.clash is not None
    assert outcome.clash.text == "names axis 2 of (B, T), which has 2 axes"


def test_the_one_element_of_many_is_told() -> None:
    outcome = call("torch.Tensor.item", Tensor(shape_of(2 * T, D), "torch"))
    assert outcome.clash is not None
    assert outcome.clash.text == "takes the one element of (2*T, D)"


@pytest.mark.parametrize(
    ("given", "category"), [({}, "int"), ({"dtype": Library("torch.float")}, "float")]
)
def test_random_integers_are_integers_unless_a_dtype_is_named(
    given: dict[str, Value], category: str
) -> None:
    value = call("torch.randint", Int(const(5)), ints(B, T), **given).value
    assert type(value) is Tensor and value.dtype == category
    own = {"dtype": torch.float} if given else {}
    assert torch.randint(5, (2, 3), **own).is_floating_point() is (category == "float")
