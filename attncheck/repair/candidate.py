"""What a candidate fix is: changes of expressions, and in words what they do.

A candidate says nothing of whether it is right; `attncheck.repair.trial` finds that out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import libcst as cst

from attncheck.checks.report import Report
from attncheck.checks.view import View
from attncheck.finding import Edit
from attncheck.record import record


@record
class Change:
    """New text in the place of an expression, or (``after``) right behind it."""

    node: cst.CSTNode
    text: str
    after: bool = False


@record
class Candidate:
    """Changes of some expressions, and what they do in words.

    ``broadcasts`` marks a candidate that only makes an axis of 1 for broadcasting to stretch;
    ``new_name`` a name that the user has to provide. One that makes a ``table`` puts axes of 1
    where every row of one operand has to meet every row of the other. ``proof`` is an assert that
    holds after the fixed line and not after the wrong one, where no shape tells.
    """

    changes: tuple[Change, ...]
    description: str
    safe: bool = True
    broadcasts: bool = False
    new_name: str | None = None
    table: bool = False
    #: edits of what no expression is: a comment, statements in another order
    edits: tuple[Edit, ...] = ()
    #: whether what it puts in has the size of what was there: two states of one recurrence
    same_size: bool = False
    #: the corrected lines, where they are more than one
    shown: str | None = None
    #: whether its changes are in several lines, each of which is shown
    several: bool = False
    proof: str | None = None


Generator = Callable[[Report, View], Iterator[Candidate]]


def edit(
    node: cst.CSTNode, text: str, description: str, *, safe: bool = True, broadcasts: bool = False
) -> Candidate:
    """The candidate that writes one expression anew."""
    return Candidate((Change(node, text),), description, safe, broadcasts)
