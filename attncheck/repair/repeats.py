"""A repeat written in the other order: tiled as a repeat of each element, and the reverse.

How often, and along which axis, is read from the call as it is written; a call that repeats several
axes has no other order that one could name.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import libcst as cst

from attncheck.checks.repeated_positions import misplaced_repeat
from attncheck.checks.report import Report
from attncheck.checks.rotated_pairs import pairs_rotated
from attncheck.checks.view import View
from attncheck.graph import Operation
from attncheck.repair.candidate import Candidate, Change
from attncheck.repair.wording import argument_of, array_module, bracketed, functions_for


def other_order(report: Report, view: View) -> Iterator[Candidate]:
    """The repeat at a report's place with its copies in the other order."""
    turned = next((e for e in view.once(pairs_rotated) if e.product is report.operation), None)
    if turned is not None and turned.made is not None:
        yield from _other_pairs(turned.made, view)
        return
    made = None if report.culprit is None else view.maker(report.culprit.tensor)
    if made is None or made.node is not report.node or not isinstance(made.node, cst.Call):
        return
    writer = _WRITERS.get(made.kind)
    text = None if writer is None else writer(made, made.node, view, _rank(made, report, view))
    if text is not None:
        outside = made.kind != "repeat_interleave"
        words = "repeat each row in its place" if outside else "repeat all rows together"
        # Of a tensor of unknown rank the one order shows other axes than the other.
        known = made.source is not None and view.sizes(made.source) is not None
        yield Candidate((Change(made.node, text),), words, same_size=not known)


def _other_pairs(made: Operation, view: View) -> Iterator[Candidate]:
    """Angles of a rotary table repeated as a whole instead of each in its place, or the reverse."""
    node = made.node
    if not isinstance(node, cst.Call) or not made.spelling.startswith("torch"):
        return
    if made.kind == "repeat_interleave":
        whole, _ = _written(made, node, view)
        text = f"torch.cat(({whole}, {whole}), dim=-1)"
    else:
        operand = next((operand.node for operand, _ in made.tensors()), None)
        if operand is None:
            return
        text = f"{bracketed(view, operand)}.repeat_interleave(2, dim=-1)"
    words = "lay the angles out as the features are rotated"
    yield Candidate((Change(node, text),), words, safe=False, same_size=True)


def repeated_along(report: Report, view: View) -> Iterator[Candidate]:
    """Repeats along the axis that they are meant for: of keys and of values alike."""
    place, changes = report.operation.place, []
    for made in view.graph.operations:
        found = misplaced_repeat(made, view) if made.place == place else None
        axis = argument_of(made.node) if isinstance(made.node, cst.Call) else None
        if found is not None and axis is not None and made.kind == "repeat_interleave":
            changes.append(Change(axis, str(found.meant)))
    if changes:
        words = f"repeat axis {report.axis}"
        yield Candidate(tuple(changes), words, safe=False, several=len(changes) > 1)


def _rank(made: Operation, report: Report, view: View) -> int | None:
    """How many axes a repeated tensor has: as it is known, else as what it meets needs it."""
    source = made.source
    sizes = (None if source is None else view.sizes(source)) or report.expected
    return None if sizes is None else len(sizes)


def _written(made: Operation, node: cst.Call, view: View) -> tuple[str, list[cst.BaseExpression]]:
    """What is repeated, as a receiver, and the other arguments that have no keyword."""
    positional = [argument.value for argument in node.args if argument.keyword is None]
    if _is_method(made) and isinstance(node.func, cst.Attribute):
        return bracketed(view, node.func.value), positional
    if not positional:
        return "", []
    return bracketed(view, positional[0]), positional[1:]


def _keyword(node: cst.Call, names: tuple[str, ...]) -> cst.BaseExpression | None:
    for argument in node.args:
        if argument.keyword is not None and argument.keyword.value in names:
            return argument.value
    return None


def _each_in_place(made: Operation, node: cst.Call, view: View, rank: int | None) -> str | None:
    """``x.repeat(n, 1, 1)`` and ``np.tile(x, (n, 1, 1))`` with each row repeated in its place."""
    whole, counts = _written(made, node, view)
    if len(counts) == 1 and isinstance(counts[0], cst.Tuple | cst.List):
        counts = [element.value for element in counts[0].elements]
    repeated = [index for index, count in enumerate(counts) if view.code(count) != "1"]
    if rank is None:
        # torch wants as many counts as there are axes, or more.
        rank = len(counts) if made.kind == "repeat" else 0
    if not whole or len(repeated) != 1 or len(counts) > rank:
        return None
    axis = repeated[0] + rank - len(counts)
    return _interleaved(made, node, view, (whole, view.code(counts[repeated[0]]), axis))


def _module(made: Operation, node: cst.Call, view: View) -> str:
    """The module whose functions repeat what `made` has made, as the call or the file names it."""
    if not _is_method(made) and isinstance(node.func, cst.Attribute):
        return view.code(node.func.value)
    first = made.spelling.partition(".")[0]
    if first in ("tensorflow", "keras"):
        return functions_for(view, "tensorflow")
    return array_module(first)


def _is_method(made: Operation) -> bool:
    return made.spelling.rpartition(".")[0].endswith((".Tensor", ".ndarray", ".Array"))


def _interleaved(made: Operation, node: cst.Call, view: View, given: tuple[str, str, int]) -> str:
    """A repeat of each element: of what, how often, along which axis."""
    whole, count, axis = given
    if made.spelling.startswith("torch"):
        return f"{whole}.repeat_interleave({count}, dim={axis})"
    name = "repeat_elements" if made.spelling.startswith("keras.backend") else "repeat"
    return f"{_module(made, node, view)}.{name}({whole}, {count}, axis={axis})"


def _joined_in_place(made: Operation, node: cst.Call, view: View, _rank: int | None) -> str | None:
    """``torch.cat([x] * n, dim=0)`` with each row repeated in its place."""
    items = node.args[0].value if node.args else None
    if not isinstance(items, cst.BinaryOperation) or not isinstance(items.left, cst.List):
        return None
    axis = _keyword(node, ("dim", "axis"))
    positional = [argument.value for argument in node.args if argument.keyword is None]
    if axis is None and len(positional) > 1:
        axis = positional[1]
    place = "0" if axis is None else view.code(axis)
    if len(items.left.elements) != 1 or not place.isdecimal():
        return None
    whole = bracketed(view, items.left.elements[0].value)
    return _interleaved(made, node, view, (whole, view.code(items.right), int(place)))


def _all_together(made: Operation, node: cst.Call, view: View, rank: int | None) -> str | None:
    """``x.repeat_interleave(n, dim=0)`` and ``np.repeat(x, n, axis=0)`` tiled."""
    whole, rest = _written(made, node, view)
    count = _keyword(node, ("repeats", "rep")) or (rest.pop(0) if rest else None)
    axis = _keyword(node, ("dim", "axis")) or (rest.pop(0) if rest else None)
    if count is None or axis is None or rank is None or not view.code(axis).isdecimal():
        return None
    place = int(view.code(axis))
    counts = ["1"] * rank
    if place >= len(counts):
        return None
    counts[place] = view.code(count)
    inside = ", ".join(counts)
    if made.spelling.startswith("torch"):
        return f"{whole}.repeat({inside})"
    return f"{_module(made, node, view)}.tile({whole}, ({inside}{',' if len(counts) == 1 else ''}))"


def _by_pattern(_made: Operation, node: cst.Call, view: View, _rank: int | None) -> str | None:
    """``repeat(x, "b d -> (n b) d", n=n)`` with the new name at the other end of its group."""
    literals = [each.value for each in node.args if isinstance(each.value, cst.SimpleString)]
    if len(literals) != 1:
        return None
    left, arrow, right = literals[0].value.partition("->")
    for group in re.findall(r"\(([^()]*)\)", right):
        first, *rest = group.split() or [""]
        if not rest:
            continue
        if first not in re.findall(r"\w+", left):
            turned = [*rest, first]
        elif rest[-1] not in re.findall(r"\w+", left):
            turned = [rest[-1], first, *rest[:-1]]
        else:
            continue
        right = right.replace(f"({group})", f"({' '.join(turned)})")
        pattern = left + arrow + right
        return view.code(node).replace(literals[0].value, pattern)
    return None


_WRITERS = {
    "repeat_named": _by_pattern,
    "repeat": _each_in_place,
    "tile": _each_in_place,
    "repeat_interleave": _all_together,
    "concatenate": _joined_in_place,
}
