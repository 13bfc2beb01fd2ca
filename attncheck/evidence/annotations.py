"""Reads an annotation: jaxtyping, torchtyping, ``Annotated``, shapes in strings, plain types.

Only the form of the annotation is looked at, by the last part of its names, since nothing here
imports anything. What is not understood is ``other``, of which nothing may be concluded.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final, Literal, TypeAlias

import libcst as cst

from attncheck.algebra.notation import parse_shape
from attncheck.algebra.shape import UNKNOWN_AXIS, Shape, closed
from attncheck.algebra.size import Symbol
from attncheck.evidence.wording import looks_like_size
from attncheck.record import record

Kind: TypeAlias = Literal["tensor", "int", "float", "bool", "str", "none", "tuple", "list", "other"]
SymbolOf: TypeAlias = Callable[[str], Symbol]


@record
class Annotation:
    """What an annotation says.

    ``shape`` is None where a tensor's shape is not stated. ``library`` is ``"numpy"`` or
    ``"torch"``, ``dtype`` ``"float"``, ``"int"`` or ``"bool"``, where stated. ``items`` are those
    of a tuple, or the one that all items of a list, or of a tuple of any length, are like.
    ``optional`` says that the value may also be None.
    """

    kind: Kind
    shape: Shape | None = None
    library: str | None = None
    dtype: str | None = None
    optional: bool = False
    items: tuple[Annotation, ...] = ()


OTHER: Final = Annotation("other")
_NONE: Final = Annotation("none")

#: Strings longer or deeper than this are not parsed: libcst cannot be trusted with them.
_LONGEST: Final = 200
_DEEPEST: Final = 12

_PLAIN: Final[dict[str, Annotation]] = {
    "int": Annotation("int"),
    "float": Annotation("float"),
    "bool": Annotation("bool"),
    "str": Annotation("str"),
    "None": _NONE,
    "Tensor": Annotation("tensor", library="torch"),
    "Parameter": Annotation("tensor", library="torch"),
    "FloatTensor": Annotation("tensor", library="torch", dtype="float"),
    "HalfTensor": Annotation("tensor", library="torch", dtype="float"),
    "DoubleTensor": Annotation("tensor", library="torch", dtype="float"),
    "BFloat16Tensor": Annotation("tensor", library="torch", dtype="float"),
    "LongTensor": Annotation("tensor", library="torch", dtype="int"),
    "IntTensor": Annotation("tensor", library="torch", dtype="int"),
    "ByteTensor": Annotation("tensor", library="torch", dtype="int"),
    "BoolTensor": Annotation("tensor", library="torch", dtype="bool"),
    "TensorType": Annotation("tensor", library="torch"),
    "ndarray": Annotation("tensor", library="numpy"),
    "NDArray": Annotation("tensor", library="numpy"),
    "Array": Annotation("tensor"),
}
#: Roots under which ``Tensor`` and ``ndarray`` are neither torch's nor numpy's.
_FOREIGN: Final = frozenset({"tf", "tensorflow", "keras", "mx", "mlx", "paddle", "cp"})
_LIBRARY_OF_ROOT: Final = {
    **dict.fromkeys(("np", "numpy", "npt"), "numpy"),
    **dict.fromkeys(("jnp", "jax", "jaxlib"), "jax"),
    "torch": "torch",
}

_JAXTYPING: Final = {
    **dict.fromkeys(("Float", "Float16", "Float32", "Float64", "BFloat16", "Inexact"), "float"),
    **dict.fromkeys(("Int", "Int8", "Int16", "Int32", "Int64", "Integer"), "int"),
    **dict.fromkeys(("UInt", "UInt8", "UInt16", "UInt32", "UInt64"), "int"),
    "Bool": "bool",
    **dict.fromkeys(("Shaped", "Num", "Real", "Complex", "Complex64", "Complex128"), None),
}
#: What torchtyping lets stand behind the sizes.
_DETAILS: Final = frozenset({"is_named", "is_float"})
_WRAPPERS: Final = frozenset({"Final", "ClassVar", "Required", "NotRequired", "ReadOnly"})
_TUPLES: Final = frozenset({"tuple", "Tuple"})
_LISTS: Final = frozenset({"list", "List", "Sequence", "Iterable", "Iterator", "MutableSequence"})


def read_annotation(node: cst.BaseExpression, symbol: SymbolOf) -> Annotation:
    """What the annotation `node` says; its names become symbols through `symbol`."""
    reader = _READERS.get(type(node))
    return OTHER if reader is None else reader(node, symbol)


def _read_name(node: cst.CSTNode, symbol: SymbolOf) -> Annotation:
    path = _path(node)
    root, _, last = path.rpartition(".")
    plain = _PLAIN.get(last)
    if plain is None or (root and plain.kind != "tensor"):
        return OTHER
    first = root.split(".")[0]
    if first in _FOREIGN:
        return replace(plain, library=None)
    return replace(plain, library=_LIBRARY_OF_ROOT.get(first) or plain.library)


def _read_union(node: cst.CSTNode, symbol: SymbolOf) -> Annotation:
    assert isinstance(node, cst.BinaryOperation)
    if not isinstance(node.operator, cst.BitOr):
        return OTHER
    return _unite([read_annotation(side, symbol) for side in (node.left, node.right)])


def _read_subscript(node: cst.CSTNode, symbol: SymbolOf) -> Annotation:
    assert isinstance(node, cst.Subscript)
    last = _path(node.value).rpartition(".")[2]
    inner = [
        element.slice.value if isinstance(element.slice, cst.Index) else None
        for element in node.slice
    ]
    items = [item for item in inner if item is not None]
    if len(items) != len(inner):
        return _read_name(node.value, symbol)
    if last in _JAXTYPING:
        return _read_jaxtyping(items, _JAXTYPING[last], symbol)
    reader = _GENERICS.get(last)
    return _read_name(node.value, symbol) if reader is None else reader(node.value, items, symbol)


def _read_string(node: cst.CSTNode, symbol: SymbolOf) -> Annotation:
    """A quoted annotation, or a shape that stands there as one."""
    assert isinstance(node, cst.SimpleString | cst.ConcatenatedString)
    text = node.evaluated_value
    if not isinstance(text, str) or not _harmless(text):
        return OTHER
    text = text.strip()
    bracketed = text[:1] in ("(", "[")
    if bracketed or _spaced_sizes(text):
        shape = parse_shape(text, symbol)
        return OTHER if shape is None else Annotation("tensor", shape)
    try:
        parsed = cst.parse_expression(text)
    except cst.ParserSyntaxError:
        return OTHER
    return OTHER if isinstance(parsed, _STRINGS) else read_annotation(parsed, symbol)


def _harmless(text: str) -> bool:
    return len(text) <= _LONGEST and sum(text.count(sign) for sign in "([{") <= _DEEPEST


def _spaced_sizes(text: str) -> bool:
    words = text.split()
    names = [word for word in words if not word.isdigit() and word != "..."]
    return len(words) > 1 and bool(names) and all(map(looks_like_size, names))


def _read_jaxtyping(
    items: Sequence[cst.BaseExpression], dtype: str | None, symbol: SymbolOf
) -> Annotation:
    """``Float[Tensor, "b t d"]``; the array may itself be a union or a quoted name."""
    if len(items) != 2:
        return OTHER
    array = read_annotation(items[0], symbol)
    dims = _string(items[1])
    if array.kind != "tensor":
        array = Annotation("tensor")
    shape = None if dims is None else parse_shape(dims, symbol)
    return replace(array, shape=shape, dtype=dtype)


def _read_torchtyping(
    base: cst.BaseExpression, items: Sequence[cst.BaseExpression], symbol: SymbolOf
) -> Annotation:
    """``TensorType["b", "t", 4]``: sizes, ``...`` and ``-1``, then a dtype or other details."""
    texts = [_size_text(item) for item in items]
    sizes = list(itertools.takewhile(bool, texts))
    shape = None if any(texts[len(sizes) :]) else _joined(sizes, symbol)
    return replace(_PLAIN["TensorType"], shape=shape)


def _read_annotated(
    base: cst.BaseExpression, items: Sequence[cst.BaseExpression], symbol: SymbolOf
) -> Annotation:
    inner = read_annotation(items[0], symbol)
    if inner.kind not in ("tensor", "other") or inner.shape is not None:
        return inner
    for detail in items[1:]:
        shape = _shape_of_detail(detail, symbol)
        if shape is not None:
            return replace(inner, kind="tensor", shape=shape)
    return inner


def _shape_of_detail(node: cst.BaseExpression, symbol: SymbolOf) -> Shape | None:
    """``(3, 2)``, ``"T d"``, ``Shape("B", "T")`` or ``Shape["B, T"]`` beside an annotated type."""
    text = _string(node)
    if text is not None:
        return parse_shape(text, symbol) if _spaced_sizes(text) or text[:1] in "([" else None
    if isinstance(node, cst.Tuple | cst.List):
        return _joined([_size_text(element.value) for element in node.elements], symbol)
    if isinstance(node, cst.Call) and "shape" in _path(node.func).rpartition(".")[2].lower():
        if any(argument.keyword is not None or argument.star for argument in node.args):
            return None
        values = [argument.value for argument in node.args]
    elif isinstance(node, cst.Subscript) and _path(node.value).rpartition(".")[2] == "Shape":
        values = [e.slice.value for e in node.slice if isinstance(e.slice, cst.Index)]
    else:
        return None
    whole = _string(values[0]) if len(values) == 1 else None
    if whole is not None:
        return parse_shape(whole if "," not in whole else f"({whole})", symbol)
    if len(values) == 1 and isinstance(values[0], cst.Tuple | cst.List):
        return _shape_of_detail(values[0], symbol)
    return _joined([_size_text(value) for value in values], symbol)


def _joined(sizes: Sequence[str | None], symbol: SymbolOf) -> Shape | None:
    known = [size for size in sizes if size]
    if not known or len(known) != len(sizes):
        return None
    return parse_shape(f"({', '.join(known)},)", symbol)


def _size_text(node: cst.BaseExpression) -> str | None:
    """One size as text: a number, ``...``, a quoted name or a bare one; None if it is no size."""
    if isinstance(node, cst.Integer):
        return node.value
    if isinstance(node, cst.Ellipsis):
        return "..."
    if isinstance(node, cst.UnaryOperation):
        return "_" if isinstance(node.operator, cst.Minus) else None
    if isinstance(node, cst.Name):
        return None if node.value in _PLAIN or node.value in _DETAILS else node.value
    text = _string(node)
    return text.strip() if text is not None and text.strip() else None


def _read_array(
    base: cst.BaseExpression, items: Sequence[cst.BaseExpression], symbol: SymbolOf
) -> Annotation:
    """``NDArray[Shape["B, T"], Float]``, ``ndarray[tuple[int, int], ...]``, ``NDArray[bool]``."""
    array = _read_name(base, symbol)
    if array.kind != "tensor":
        return OTHER
    shape = _shape_of_detail(items[0], symbol)
    if shape is None and isinstance(items[0], cst.Subscript):
        lengths = _read_subscript(items[0], symbol)
        if lengths.kind == "tuple" and all(item.kind == "int" for item in lengths.items):
            shape = closed([UNKNOWN_AXIS] * len(lengths.items))
    return replace(array, shape=shape)


def _read_optional(
    base: cst.BaseExpression, items: Sequence[cst.BaseExpression], symbol: SymbolOf
) -> Annotation:
    return _unite([*(read_annotation(item, symbol) for item in items), _NONE])


def _read_union_of(
    base: cst.BaseExpression, items: Sequence[cst.BaseExpression], symbol: SymbolOf
) -> Annotation:
    return _unite([read_annotation(item, symbol) for item in items])


def _read_wrapped(
    base: cst.BaseExpression, items: Sequence[cst.BaseExpression], symbol: SymbolOf
) -> Annotation:
    return read_annotation(items[0], symbol)


def _read_tuple(
    base: cst.BaseExpression, items: Sequence[cst.BaseExpression], symbol: SymbolOf
) -> Annotation:
    if isinstance(items[-1], cst.Ellipsis):
        return Annotation("list", items=(read_annotation(items[0], symbol),))
    return Annotation("tuple", items=tuple(read_annotation(item, symbol) for item in items))


def _read_list(
    base: cst.BaseExpression, items: Sequence[cst.BaseExpression], symbol: SymbolOf
) -> Annotation:
    return Annotation("list", items=(read_annotation(items[0], symbol),))


def _unite(parts: Sequence[Annotation]) -> Annotation:
    """The union: what all its parts but None agree in."""
    present = [part for part in parts if part.kind != "none"]
    if not present:
        return _NONE
    optional = len(present) < len(parts) or any(part.optional for part in present)
    first = present[0]
    if any(part.kind != first.kind for part in present):
        return replace(OTHER, optional=optional)
    same = {
        name: getattr(first, name)
        for name in ("shape", "library", "dtype", "items")
        if all(getattr(part, name) == getattr(first, name) for part in present)
    }
    return replace(Annotation(first.kind, optional=optional), **same)


def _string(node: cst.BaseExpression) -> str | None:
    if not isinstance(node, _STRINGS):
        return None
    text = node.evaluated_value
    return text if isinstance(text, str) and len(text) <= _LONGEST else None


def _path(node: cst.CSTNode) -> str:
    """The dotted name that `node` is, ``""`` if it is none."""
    parts: list[str] = []
    while isinstance(node, cst.Attribute):
        parts.append(node.attr.value)
        node = node.value
    if not isinstance(node, cst.Name):
        return ""
    return ".".join([node.value, *reversed(parts)])


_STRINGS: Final = (cst.SimpleString, cst.ConcatenatedString)
_READERS: Final[dict[type[cst.CSTNode], Callable[[cst.CSTNode, SymbolOf], Annotation]]] = {
    cst.Name: _read_name,
    cst.Attribute: _read_name,
    cst.Subscript: _read_subscript,
    cst.BinaryOperation: _read_union,
    cst.SimpleString: _read_string,
    cst.ConcatenatedString: _read_string,
}
_Generic: TypeAlias = Callable[
    [cst.BaseExpression, Sequence[cst.BaseExpression], SymbolOf], Annotation
]
_GENERICS: Final[dict[str, _Generic]] = {
    "TensorType": _read_torchtyping,
    "Annotated": _read_annotated,
    "Optional": _read_optional,
    "Union": _read_union_of,
    "ndarray": _read_array,
    "NDArray": _read_array,
    **dict.fromkeys(_WRAPPERS, _read_wrapped),
    **dict.fromkeys(_TUPLES, _read_tuple),
    **dict.fromkeys(_LISTS, _read_list),
}
