"""Annotations: every notation for shapes, plain types, and what must be left alone."""

import libcst as cst
import pytest

from attncheck.evidence.annotations import OTHER, Annotation, read_annotation
from attncheck.evidence.dimensions import Scope


def read(text):
    return read_annotation(cst.parse_expression(text), Scope().symbol)


def brief(text):
    found = read(text)
    return found.kind, None if found.shape is None else str(found.shape)


@pytest.mark.parametrize(
    ("text", "shape", "library", "dtype"),
    [
        ('Float[Tensor, "b t d"]', "(b, t, d)", "torch", "float"),
        ('jaxtyping.Float[torch.Tensor, "b t d"]', "(b, t, d)", "torch", "float"),
        ('Float[np.ndarray, "T_enc d_h"]', "(T_enc, d_h)", "numpy", "float"),
        ('Float32[Array, "b 4"]', "(b, 4)", None, "float"),
        ('Int[Tensor, "b t"]', "(b, t)", "torch", "int"),
        ('Bool[Tensor, "b 1 t"]', "(b, 1, t)", "torch", "bool"),
        ('Shaped[Array, "... d"]', "(..., d)", None, None),
        ('Float[Tensor, "*batch d"]', "(..., d)", "torch", "float"),
        ('Float[Tensor, "b 2*d"]', "(b, 2*d)", "torch", "float"),
        ('Float[Tensor, ""]', "()", "torch", "float"),
        ('Float["Tensor", "b d"]', "(b, d)", "torch", "float"),
        ('Float[Tensor, "b " "d"]', "(b, d)", "torch", "float"),
        ('TensorType["b", "t", 4]', "(b, t, 4)", "torch", None),
        ('TensorType["b", "t", float]', "(b, t)", "torch", None),
        ('TensorType[..., "d"]', "(..., d)", "torch", None),
        ('TensorType[-1, "d"]', "(?, d)", "torch", None),
        ('TensorType["b", "d", is_named]', "(b, d)", "torch", None),
        ("Annotated[np.ndarray, (3, 2)]", "(3, 2)", "numpy", None),
        ('Annotated[Tensor, "T d"]', "(T, d)", "torch", None),
        ('Annotated[Tensor, ("T", "d")]', "(T, d)", "torch", None),
        ("Annotated[np.ndarray, (T, d)]", "(T, d)", "numpy", None),
        ('Annotated[Tensor, "(T,)"]', "(T,)", "torch", None),
        ('Annotated[torch.Tensor, Shape("B", "T")]', "(B, T)", "torch", None),
        ('Annotated[torch.Tensor, Shape("B T")]', "(B, T)", "torch", None),
        ("Annotated[torch.Tensor, Shape((3, 4))]", "(3, 4)", "torch", None),
        ('Annotated[Tensor, "the keys", ("S", "d")]', "(S, d)", "torch", None),
        ('NDArray[Shape["B, T"], Float32]', "(B, T)", "numpy", None),
        ("np.ndarray[tuple[int, int], np.dtype[np.float32]]", "(?, ?)", "numpy", None),
        ('"(B, T, d)"', "(B, T, d)", None, None),
        ('"[B, T, d]"', "(B, T, d)", None, None),
        ('"batch seq dim"', "(batch, seq, dim)", None, None),
        ("""'Float[Tensor, "b t"]'""", "(b, t)", "torch", "float"),
        ("'Annotated[np.ndarray, (3, 2)]'", "(3, 2)", "numpy", None),
        ('Final[Float[Tensor, "b t"]]', "(b, t)", "torch", "float"),
    ],
)
def test_shapes(text, shape, library, dtype):
    found = read(text)
    assert (found.kind, str(found.shape), found.library, found.dtype) == (
        "tensor",
        shape,
        library,
        dtype,
    )
    assert not found.optional


@pytest.mark.parametrize(
    ("text", "library", "dtype"),
    [
        ("Tensor", "torch", None),
        ("torch.Tensor", "torch", None),
        ("torch.FloatTensor", "torch", "float"),
        ("torch.LongTensor", "torch", "int"),
        ("BoolTensor", "torch", "bool"),
        ("nn.Parameter", "torch", None),
        ("np.ndarray", "numpy", None),
        ("numpy.ndarray", "numpy", None),
        ("npt.NDArray", "numpy", None),
        ("npt.NDArray[np.float32]", "numpy", None),
        ("np.ndarray[Any, np.dtype[np.float64]]", "numpy", None),
        ("jnp.ndarray", "jax", None),
        ("jax.Array", "jax", None),
        ("tf.Tensor", None, None),
        ("mx.array.Array", None, None),
        ("TensorType", "torch", None),
        ("TensorType[float]", "torch", None),
        ('TensorType[float, "b"]', "torch", None),
        ('Float[Tensor, "b t"].something', None, None),
        ('"torch.Tensor"', "torch", None),
        ('Annotated[Tensor, "the encoder states"]', "torch", None),
        ("Annotated[Tensor, Field(gt=0)]", "torch", None),
        ("Annotated[Tensor, Shape(*dims)]", "torch", None),
        ("Annotated[Tensor, ()]", "torch", None),
        ("Float[Tensor, dims]", "torch", "float"),
        ("Float[Tensor, f'{n} d']", "torch", "float"),
        ('Float[Tensor, "b t; d"]', "torch", "float"),
    ],
)
def test_tensors_of_unknown_shape(text, library, dtype):
    found = read(text)
    if ".something" in text:
        assert found == OTHER
        return
    assert found == Annotation("tensor", library=library, dtype=dtype)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Optional[Tensor]", Annotation("tensor", library="torch", optional=True)),
        ("Tensor | None", Annotation("tensor", library="torch", optional=True)),
        ("None | torch.Tensor", Annotation("tensor", library="torch", optional=True)),
        ("typing.Optional[np.ndarray]", Annotation("tensor", library="numpy", optional=True)),
        ("Union[Tensor, None]", Annotation("tensor", library="torch", optional=True)),
        ('"Tensor | None"', Annotation("tensor", library="torch", optional=True)),
        ('Optional["Tensor"]', Annotation("tensor", library="torch", optional=True)),
        ("Union[Tensor, np.ndarray]", Annotation("tensor")),
        ("Tensor | float", OTHER),
        ("Tensor | float | None", Annotation("other", optional=True)),
        ("int | None", Annotation("int", optional=True)),
        ("None", Annotation("none")),
    ],
)
def test_unions(text, expected):
    assert read(text) == expected


def test_an_optional_shape_keeps_its_shape():
    found = read('Float[Tensor, "b t"] | None')
    assert (str(found.shape), found.optional) == ("(b, t)", True)


@pytest.mark.parametrize("kind", ["int", "float", "bool", "str"])
def test_plain_types_are_no_tensors(kind):
    assert read(kind) == Annotation(kind)
    assert read(f'"{kind}"') == Annotation(kind)


@pytest.mark.parametrize(
    ("text", "kind", "items"),
    [
        ("Tuple[Tensor, Tensor]", "tuple", ["tensor", "tensor"]),
        ("tuple[Tensor, int]", "tuple", ["tensor", "int"]),
        ("tuple[Tensor, ...]", "list", ["tensor"]),
        ("List[Tensor]", "list", ["tensor"]),
        ("Sequence[int]", "list", ["int"]),
    ],
)
def test_containers(text, kind, items):
    found = read(text)
    assert found.kind == kind
    assert [item.kind for item in found.items] == items


def test_the_items_of_a_tuple_have_shapes():
    found = read('tuple[Float[Tensor, "b d"], Float[Tensor, "b t"]]')
    assert [str(item.shape) for item in found.items] == ["(b, d)", "(b, t)"]


@pytest.mark.parametrize(
    "text",
    [
        "Any",
        "object",
        "Config",
        "nn.Module",
        "Callable[[Tensor], Tensor]",
        "Dict[str, Tensor]",
        "list",
        "Literal['mean', 'sum']",
        '"Encoder"',
        '"d_h"',
        '"the encoder states"',
        '"not ( closed"',
        '""',
        "\"'quoted twice'\"",
        "ArrayLike",
        "self.x",
        "3",
        "x[0:2]",
        "f()",
        "a + b",
        "module.int",
        "lambda: 0",
        "[Tensor]",
        "b'bytes'",
    ],
)
def test_everything_else_is_other(text):
    assert read(text) == OTHER


def test_hostile_strings_are_not_parsed():
    assert read(repr("(" * 150 + ")" * 150)) == OTHER
    assert read(repr("x." * 5000 + "x")) == OTHER
    assert brief(f"Annotated[Tensor, {'b ' * 2000 + 'd'!r}]") == ("tensor", None)


def test_names_become_the_callers_symbols():
    scope = Scope()
    found = read_annotation(cst.parse_expression('Float[Tensor, "B T_enc d_h"]'), scope.symbol)
    assert found.shape is not None
    assert found.shape.sizes() == tuple(scope.size(name) for name in ("B", "T_enc", "d_h"))
