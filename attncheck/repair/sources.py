"""Candidate fixes for mixed-up sources: another layer, another argument, an exchange of two."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from attncheck.checks.added_back import exchanged_sides
from attncheck.checks.cancelled_queries import cancelled
from attncheck.checks.report import Report
from attncheck.checks.sorted_twice import twice_sorted
from attncheck.checks.source_mixup import (
    asks_backwards,
    given_backwards,
    keys_and_values,
    misprojected,
)
from attncheck.checks.sources import PARTS, Trio, projection_behind, trios
from attncheck.checks.twice_joined import joined_again
from attncheck.checks.unread_parts import parts_unread
from attncheck.checks.unrestored import order_of, unrestored
from attncheck.checks.view import View
from attncheck.repair.candidate import Candidate, Change, edit
from attncheck.repair.wording import bracketed
from attncheck.values.tensor import Tensor

#: The other of the two sequences of a decoder, as torch's arguments call them.
_SIDES = {"tgt": "memory", "memory": "tgt"}


def unmixed(report: Report, view: View) -> Iterator[Candidate]:
    """The edits that give each part its own source."""
    for trio in trios(view):
        wrong = misprojected(trio, view)
        if wrong is not None and wrong.made is report.operation:
            function = getattr(wrong.made.node, "func", None)
            if isinstance(function, cst.Attribute):
                yield edit(function.attr, wrong.unused, f"use {wrong.unused}", safe=False)
            return
        yield from _one_sequence(trio, report, view)
        backwards = asks_backwards(trio, view)
        if backwards is not None and trio.operation is report.operation:
            yield from _exchanged(report.node, backwards, view)
    twice = view.remembered(joined_again, report.operation)
    if twice is not None:
        name = twice.twin.name
        change, words = Change(twice.again, name), f"join it with {name}"
        yield Candidate((change,), words, safe=False, same_size=True)
    for part in view.once(parts_unread):
        if part.node is report.node:
            name = part.twin.name
            change = Change(part.mention, name)
            yield Candidate((change,), f"use {name}", safe=False, same_size=True)
    yield from _put_back(report, view)
    linear = (found.layer for found in view.once(cancelled) if found.hidden)
    if any(layer is report.operation for layer in linear):
        text = f"torch.tanh({view.code(report.node)})"
        yield edit(report.node, text, "put a tanh between the layers", safe=False)
    sides = exchanged_sides(report.operation, view)
    if sides is not None:
        asked, attended = (view.code(each.node) for each in sides.operands[:2])
        texts = (attended, asked, asked)
        changes = tuple(
            Change(each.node, text)
            for each, text in zip(sides.operands, texts, strict=True)
            if each.node is not None
        )
        yield Candidate(changes, f"let {attended} ask", safe=False)
    pair = given_backwards(report.operation, view)
    if pair is not None and pair[0].node is not None and pair[1].node is not None:
        first, second = (view.code(operand.node) for operand in pair)
        changes = Change(pair[0].node, second), Change(pair[1].node, first)
        masks = tuple(_of_the_other(report.node))
        if masks:
            words = f"give it {second} first, each with its own mask"
            yield Candidate((*changes, *masks), words, safe=False)
        yield Candidate(changes, f"give it {second} first", safe=False)


def _of_the_other(node: cst.CSTNode) -> Iterator[Change]:
    """The padding masks that a decoder is given, passed on for the other of its two sequences."""
    for argument in node.args if isinstance(node, cst.Call) else ():
        side, _, rest = ("" if argument.keyword is None else argument.keyword.value).partition("_")
        if argument.keyword is not None and rest == "key_padding_mask" and side in _SIDES:
            yield Change(argument.keyword, f"{_SIDES[side]}_{rest}")


def _put_back(report: Report, view: View) -> Iterator[Candidate]:
    """Rows put back into the caller's order, weights as the output beside them is."""
    for found in view.once(unrestored):
        order = order_of(found.restoring)
        if found.returned.node is report.node and order is not None:
            text = f"{bracketed(view, report.node)}[{view.code(order)}]"
            yield edit(report.node, text, "put them back into the caller's order", safe=False)
    for twice in view.once(twice_sorted):
        if twice.again is report.operation:
            text = f"{bracketed(view, twice.order)}.argsort()"
            yield edit(twice.order, text, "put them back into the caller's order", safe=False)


def _one_sequence(trio: Trio, report: Report, view: View) -> Iterator[Candidate]:
    """The odd part made of what the other one is made of."""
    apart = keys_and_values(trio, view)
    if apart is None:
        return
    made = projection_behind(view, apart.odd) or trio.sum
    number = apart.part
    own, other = _given(view, apart.odd, trio, number), _given(view, apart.like, trio, 3 - number)
    if made is report.operation and own is not None and other is not None:
        yield edit(own, view.code(other), f"use {view.code(other)}", safe=False)


def _given(view: View, part: Tensor, trio: Trio, number: int) -> cst.CSTNode | None:
    """The expression that a part is made of: the argument of its projection, or the part itself."""
    made = projection_behind(view, part)
    if made is not None:
        return next((operand.node for operand, _ in made.tensors()), None)
    operands = [*trio.operation.tensors(), *trio.sum.tensors()]
    named = [operand for operand, _ in operands if operand.name == PARTS[number]]
    return next((each.node for each in named or [o for o, t in operands if t is part]), None)


def _exchanged(call: cst.CSTNode, names: tuple[str, str], view: View) -> Iterator[Candidate]:
    """A call with one name written for the other in its arguments."""
    other = dict(zip(names, reversed(names), strict=True))
    changes = tuple(
        Change(argument.value, other[argument.value.value])
        for argument in getattr(call, "args", ())
        if isinstance(argument.value, cst.Name) and argument.value.value in other
    )
    if changes:
        text = ", ".join(change.text for change in changes)
        yield Candidate(changes, f"give it {text}", safe=False)
