"""Letters of an einsum that read a table's axes in another order than the comment beside it says.

``return self.rel_k(distance)  # [q, k, d]`` and ``einsum("bhqd,kqd->bhqk", q, table)``: queries and
keys are as many, so nothing raises, and every distance has the other sign. Letters are names only
where they are those of the comment, all of them. Who multiplies with the keys, ``"bhkd,kqd"``, may
want the table turned round (He et al. 2021, "DeBERTa", equation 4), and so may who reads it both
ways.
"""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from attncheck.checks.report import Culprit, Report
from attncheck.checks.view import View
from attncheck.evidence.comments import ClaimText
from attncheck.graph import Operation
from attncheck.operators.events import COPYING, Einsum
from attncheck.operators.patterns import DOTS
from attncheck.record import record
from attncheck.rule import Rule
from attncheck.softmaxes import MOST_STEPS
from attncheck.values.tensor import Tensor

_PAIR = 2
#: Letters that count, and name nothing.
_DUMMIES = frozenset("ijmn")


@record
class Claimed:
    """An operand whose letters exchange two axes that a comment names."""

    index: int
    tensor: Tensor
    claim: ClaimText
    made: Operation
    names: tuple[str, ...]


def claimed_letters(rule: Rule, operation: Operation, view: View) -> Iterator[Report]:
    """The report of an operand whose letters contradict the comment where it was made."""
    event = operation.event
    found = _claimed(operation, view)
    if found is None or not isinstance(event, Einsum):
        return
    operand, tensor = list(operation.tensors())[found.index]
    if operand.node is None or operation.elsewhere:
        return
    used, said = "".join(event.inputs[found.index]), found.claim.words
    yield Report(
        rule,
        operation,
        operation.node,
        f"`{view.quote(operation.node)}` reads `{view.quote(operand.node)}` as {used}, but it is"
        f' "{said}" ({view.place(found.made.node)}): the axes {found.names[0]} and'
        f" {found.names[1]} are exchanged, and as they are equally long nothing raises",
        Culprit(operand.node, tensor),
        None,
        "the letters in the order of the axes that the comment names",
        named=True,
    )


def _claimed(operation: Operation, view: View) -> Claimed | None:
    event, tensors = operation.event, list(operation.tensors())
    if not isinstance(event, Einsum) or len(tensors) != _PAIR or len(event.inputs) != _PAIR:
        return None
    for index, (_, tensor) in enumerate(tensors):
        letters, others = event.inputs[index], event.inputs[1 - index]
        found = _claim_of(tensor, view)
        pair = None if found is None else _exchanged(letters, others, found[0])
        if found is None or pair is None or not _equally_long(tensor, letters, pair, view):
            continue
        if not _is_read_as_said(tensor, found[0], view):
            return Claimed(index, tensor, *found, pair)
    return None


def _exchanged(
    letters: tuple[str, ...], others: tuple[str, ...], claim: ClaimText
) -> tuple[str, str] | None:
    """Two names of a comment whose letters stand in each other's place, the first one asked by.

    Of all names the first letters are those of the operand, each once.
    """
    names = _names(claim)
    initials = [name[:1].lower() for name in names]
    if len(set(initials)) != len(names) or sorted(initials) != sorted(letters):
        return None
    wrong = [place for place, letter in enumerate(letters) if initials[place] != letter]
    if len(wrong) != _PAIR or _DUMMIES & {initials[place] for place in wrong}:
        return None
    first, second = (initials[place] for place in wrong)
    if first not in others or second in others:
        return None
    return names[wrong[0]], names[wrong[1]]


def _names(claim: ClaimText) -> list[str]:
    return [name.strip() for name in claim.shape.strip()[1:-1].split(",")]


def _claim_of(tensor: Tensor, view: View) -> tuple[ClaimText, Operation] | None:
    """The comment on the whole of the statement that made a tensor."""
    made = view.graph.maker(tensor)
    for _ in range(MOST_STEPS):
        if made is None or made.kind not in COPYING or made.source is None:
            break
        made = view.graph.maker(made.source)
    if made is None or made.elsewhere:
        return None
    for part in getattr(made.statement, "body", ()):
        value = part.value if isinstance(part, cst.Assign | cst.Return) else None
        claim = view.evidence.comments.get(view.line(made.node))
        if claim is None or value is not made.node:
            continue
        target = part.targets[0].target if isinstance(part, cst.Assign) else None
        name = target.value if isinstance(target, cst.Name) else None
        if claim.subject is None or claim.subject == name:
            return claim, made
    return None


def _equally_long(
    tensor: Tensor, letters: tuple[str, ...], pair: tuple[str, str], view: View
) -> bool:
    """Whether the two axes certainly are of one size, so that it is not told otherwise."""
    sizes = view.sizes(tensor)
    if sizes is None or len(sizes) != len(letters) or DOTS in letters:
        return False
    first, second = (sizes[letters.index(name[:1].lower())] for name in pair)
    return view.equal(first, second)


def _is_read_as_said(tensor: Tensor, claim: ClaimText, view: View) -> bool:
    """Whether another einsum reads the same tensor in the order of the comment."""
    initials = tuple(name[:1].lower() for name in _names(claim))
    return any(
        initials == letters
        for other in view.graph.operations
        if isinstance(other.event, Einsum)
        for (_, each), letters in zip(other.tensors(), other.event.inputs, strict=False)
        if each.made_by & tensor.made_by
    )
