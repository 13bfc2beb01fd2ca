"""How a changed expression is written: transposes, axes, arguments, in the style of the code."""

from __future__ import annotations

from collections.abc import Sequence

import libcst as cst

from attncheck.algebra.size import ONE
from attncheck.checks.report import Sizes
from attncheck.checks.view import View
from attncheck.graph import Operation
from attncheck.repair.functions import module_for
from attncheck.values.tensor import Tensor

#: Expressions that bind as tightly as a name, so that an attribute can follow without brackets.
_TIGHT = (cst.Name, cst.Attribute, cst.Call, cst.Subscript)
_AXIS_WORDS = ("axis", "dim")
#: Functions and methods whose last two axes change places.
_SWAPS = frozenset({"transpose", "swapaxes", "swapdims"})


def bracketed(view: View, node: cst.CSTNode) -> str:
    """An expression as written, in brackets unless it binds tightly.

    Brackets of its own are not a part of it: an edit is made between them.
    """
    code = view.source.code(node)
    return code if isinstance(node, _TIGHT) else f"({code})"


def flipped(view: View, node: cst.CSTNode, tensor: Tensor) -> str | None:
    """An expression with its last two axes exchanged: without its transpose if it has one.

    None if the tensor has no two axes.
    """
    sizes = view.sizes(tensor)
    if isinstance(node, cst.Attribute) and node.attr.value in ("T", "mT"):
        if sizes is None or len(sizes) <= 2 or node.attr.value == "mT":
            return _unbracketed(view, node.value)
        return _swap_last(view, node.value, tensor, len(sizes))
    if isinstance(node, cst.Call) and isinstance(node.func, cst.Attribute):
        if node.func.attr.value in _SWAPS and _exchanges_last(view, node, sizes):
            return view.source.code(node.func.value)
        if node.func.attr.value == "t" and not node.args:
            return view.source.code(node.func.value)
    if sizes is None or len(sizes) < 2:
        return None
    if len(sizes) == 2 and tensor.library != "tensorflow":
        return f"{bracketed(view, node)}.T"
    return _swap_last(view, node, tensor, len(sizes))


def _unbracketed(view: View, node: cst.BaseExpression) -> str:
    return view.source.code(node)


def _swap_last(view: View, node: cst.CSTNode, tensor: Tensor, rank: int) -> str:
    code = bracketed(view, node)
    module = module_for(view, tensor.library)
    if module is not None:
        return module.exchanged(view.source.code(node), rank - 2, rank - 1, rank)
    if tensor.library == "torch":
        return f"{code}.transpose(-2, -1)"
    if tensor.library == "numpy" and rank == 3:
        return f"{code}.transpose(0, 2, 1)"
    return f"{code}.swapaxes(-2, -1)"


def ordered(order: Sequence[int], library: str | None) -> str:
    """The call that puts axes in an order: of two alone their exchange."""
    torch = library == "torch"
    moved = [place for place, index in enumerate(order) if place != index]
    if len(moved) == 2:
        return f".{'transpose' if torch else 'swapaxes'}({moved[0]}, {moved[1]})"
    return f".{'permute' if torch else 'transpose'}({', '.join(map(str, order))})"


def permuted(view: View, node: cst.CSTNode, tensor: Tensor, order: Sequence[int]) -> str:
    """An expression with its axes in another order."""
    module = module_for(view, tensor.library)
    if module is not None:
        return module.permuted(view.source.code(node), order)
    return bracketed(view, node) + ordered(order, tensor.library)


def exchanged(view: View, node: cst.CSTNode, tensor: Tensor, one: int, other: int) -> str:
    """An expression with two of its axes exchanged, counted from the front."""
    rank = len(view.sizes(tensor) or ())
    module = module_for(view, tensor.library)
    if module is not None:
        return module.exchanged(view.source.code(node), one, other, rank)
    verb = "transpose" if tensor.library == "torch" else "swapaxes"
    return f"{bracketed(view, node)}.{verb}({one}, {other})"


def _exchanges_last(view: View, node: cst.Call, sizes: object) -> bool:
    axes = []
    for argument in node.args:
        text = view.code(argument.value).replace(" ", "")
        try:
            axes.append(int(text))
        except ValueError:
            return False
    rank = len(sizes) if isinstance(sizes, tuple) else 0
    positive = sorted(axis % rank if rank else axis for axis in axes)
    return len(axes) == 2 and (positive == [rank - 2, rank - 1] or sorted(axes) == [-2, -1])


def array_module(library: str | None) -> str:
    """The name that programs give to the module with a library's functions of arrays."""
    return "jnp" if library == "jax" else "np"


def library_of(view: View, operation: Operation) -> str | None:
    """The library of an operation's tensors, or the only one that the file imports."""
    known = (tensor.library for _, tensor in operation.tensors() if tensor.library)
    imported = view.evidence.array_libraries
    return next(known, imported[0] if len(imported) == 1 else None)


def functions_for(view: View, library: str | None) -> str:
    """The same, but for arrays that NumPy's functions would take out of a model."""
    module = module_for(view, library)
    return array_module(library) if module is None else module.name


def with_axis_of_one(view: View, node: cst.CSTNode, tensor: Tensor, axis: int, rank: int) -> str:
    """An expression with an axis of size 1 put in at `axis`."""
    code = bracketed(view, node)
    module = module_for(view, tensor.library)
    if module is not None:
        return module.with_axis(view.source.code(node), axis)
    if tensor.library == "torch":
        return f"{code}.unsqueeze({axis})"
    places = [":"] * rank
    places.insert(axis, "None")
    if axis == 0:
        return f"{code}[None, :]" if rank == 1 else f"{code}[None]"
    return f"{code}[{', '.join(places)}]"


def reversed_along(view: View, node: cst.CSTNode, tensor: Tensor, axis: int) -> str:
    """An expression with the elements along an axis in reversed order."""
    module = module_for(view, tensor.library)
    if module is not None:
        return module.reversed(view.source.code(node), axis)
    if tensor.library == "torch":
        return f"{bracketed(view, node)}.flip({axis})"
    return f"{array_module(tensor.library)}.flip({view.source.code(node)}, axis={axis})"


def index_with_axes(sizes: Sizes, expected: Sizes) -> list[str] | None:
    """The index that puts axes of 1 between the sizes so that they are as expected, or None."""
    left, items = list(sizes), []
    for size in expected:
        if left and left[0] == size:
            left.pop(0)
            items.append(":")
        elif size == ONE:
            items.append("None")
        else:
            return None
    return None if left else items


def index_with_axis(code: str, axis: int, rank: int) -> str:
    """An expression with axis number `axis` (of size 1) indexed away."""
    if axis == rank - 1 and rank > 1:
        return f"{code}[{', '.join([':'] * axis)}, 0]"
    return f"{code}[{', '.join([':'] * axis + ['0'])}]"


def call_with(view: View, node: cst.Call, argument: str) -> str:
    """A call with one more argument at its end."""
    code = view.source.code(node)
    inside = code.rstrip()[:-1].rstrip().rstrip(",")
    separator = ", " if node.args else ""
    return f"{inside}{separator}{argument})"


def axis_kept(view: View, made: Operation, node: cst.Call) -> tuple[str, str]:
    """The call of a reduction that keeps the axis it reduces, and that in words."""
    word = "keepdim" if made.spelling.startswith("torch") else "keepdims"
    return call_with(view, node, f"{word}=True"), f"keep the reduced axis ({word}=True)"


def other_flag(view: View, node: cst.Call, name: str) -> tuple[cst.CSTNode, str]:
    """A call with a flag set the other way: the expression to write anew, and its text."""
    for argument in node.args:
        if argument.keyword is not None and argument.keyword.value == name:
            return argument.value, "False" if view.code(argument.value) == "True" else "True"
    return node, call_with(view, node, f"{name}=True")


def argument_of(node: cst.Call) -> cst.BaseExpression | None:
    """The expression that gives a call its axis: by keyword, or the last literal integer."""
    for argument in node.args:
        if argument.keyword is not None and argument.keyword.value in _AXIS_WORDS:
            return argument.value
    for argument in reversed(node.args):
        if argument.keyword is None and _is_integer(argument.value):
            return argument.value
    return None


def _is_integer(node: cst.BaseExpression) -> bool:
    if isinstance(node, cst.UnaryOperation) and isinstance(node.operator, cst.Minus):
        node = node.expression
    return isinstance(node, cst.Integer)


def strip_column(view: View, made: Operation) -> tuple[cst.CSTNode, str, str] | None:
    """The expression that gave a tensor its last axis of 1, the text without that, and in words."""
    node = made.node
    if isinstance(node, cst.Call):
        return _strip_call(view, node)
    if isinstance(node, cst.Subscript):
        kept = [element for element in node.slice if not _is_none(element)]
        if len(kept) == len(node.slice) - 1 and _is_none(node.slice[-1]):
            return node, view.source.code(node.value), f"use {view.code(node.value)} as it is"
    if isinstance(node, cst.BinaryOperation) and isinstance(node.operator, cst.MatrixMultiply):
        return _strip_operand(view, node.right)
    return None


def _strip_operand(view: View, node: cst.BaseExpression) -> tuple[cst.CSTNode, str, str] | None:
    """A right operand that was made a column for the product."""
    if isinstance(node, cst.Call):
        return _strip_call(view, node)
    if isinstance(node, cst.Subscript) and node.slice and _is_none(node.slice[-1]):
        return node, view.source.code(node.value), f"use {view.code(node.value)} as it is"
    return None


def _strip_call(view: View, node: cst.Call) -> tuple[cst.CSTNode, str, str] | None:
    for index, argument in enumerate(node.args):
        if argument.keyword is not None and argument.keyword.value in ("keepdims", "keepdim"):
            rest = [view.source.code(other) for i, other in enumerate(node.args) if i != index]
            plain = ", ".join(text.rstrip(", ") for text in rest)
            text = f"{view.source.code(node.func)}({plain})"
            return node, text, f"drop the reduced axis ({argument.keyword.value} left out)"
    if isinstance(node.func, cst.Attribute) and _makes_column(view, node):
        receiver = node.func.value
        return node, view.source.code(receiver), f"use {view.code(receiver)} as it is"
    return None


def _makes_column(view: View, node: cst.Call) -> bool:
    assert isinstance(node.func, cst.Attribute)
    arguments = [view.code(argument.value).replace(" ", "") for argument in node.args]
    name = node.func.attr.value
    if name == "unsqueeze":
        return arguments in (["-1"], ["1"])
    return name in ("reshape", "view") and arguments in (["-1", "1"], ["(-1,1)"])


def _is_none(element: cst.SubscriptElement) -> bool:
    index = element.slice
    if not isinstance(index, cst.Index):
        return False
    value = index.value
    if isinstance(value, cst.Attribute):
        return value.attr.value == "newaxis"
    return isinstance(value, cst.Name) and value.value == "None"


def fresh_name(view: View, wanted: str) -> str:
    """`wanted`, or with a number behind it, so that the file does not have it yet."""
    name, number = wanted, 2
    while name in view.source.text:
        name, number = f"{wanted}_{number}", number + 1
    return name
