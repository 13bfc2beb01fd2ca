"""What objects were made with: the numbers that names had in each run of a constructor.

A layer that is given 768 may have been made in an ``__init__`` whose ``context_dim`` is 768. If
nothing is made with that argument, a layer beside it was made with the wrong one.
"""

from __future__ import annotations

import enum
from collections.abc import Iterator
from typing import TYPE_CHECKING, TypeAlias

from attncheck.algebra.size import Size
from attncheck.checks.constructed import Declared, settings
from attncheck.checks.view import View
from attncheck.record import record
from attncheck.tree.pairs import inner, parameter_names
from attncheck.values.value import as_size

if TYPE_CHECKING:
    import libcst as cst

    from attncheck.tracer.machine import ShapeSite

#: By name: the number that it has, and the name that it is a copy of.
_Held: TypeAlias = dict[str, tuple[int, str | None]]


class Kind(enum.IntEnum):
    """What a name is, the most likely one in a constructor first."""

    PARAMETER = 0
    LOCAL = 1
    CONSTANT = 2


@record
class Named:
    """A name that a constructor's function can use, and its number in one construction."""

    text: str
    number: int
    kind: Kind


def constructions(view: View, made: Declared) -> Iterator[list[Named]]:
    """The names before a layer's constructor, from each run of its function that may have made it.

    A run in which the layer would have got other sizes has not.
    """
    for sites in view.constructions(made.function):
        held = _held_before(view, sites, made)
        if all(
            operand.node is None
            or (name := view.code(operand.node)) not in held
            or held[name][0] == size.evaluate()
            for operand, size in settings(made.operation)
        ):
            yield list(_named(view, made, held))


def idle_parameter(view: View, made: Declared, size: Size) -> str | None:
    """The argument of the constructor's function that is a size, and that nothing is made with."""
    function, number = _function(view, made), size.evaluate()
    if function is None or number is None:
        return None
    for names in constructions(view, made):
        for named in names:
            if (
                named.kind is Kind.PARAMETER
                and named.number == number
                and not is_used(function.body, named.text)
            ):
                return named.text
    return None


def _named(view: View, made: Declared, held: _Held) -> Iterator[Named]:
    function = _function(view, made)
    listed = [] if function is None else parameter_names(function)
    for name, (number, copied) in held.items():
        if copied not in held:
            yield Named(name, number, Kind.PARAMETER if name in listed else Kind.LOCAL)
    sites = [site for site in view.traced.sites if site.name.isidentifier()]
    every = [site.name for site in sites]
    for name, (number, _) in _held_before(view, sites, made).items():
        # What the module gives another value later may have had that one.
        if name not in held and every.count(name) == 1 and view.traced.function is None:
            yield Named(name, number, Kind.CONSTANT)


def _held_before(view: View, sites: list[ShapeSite], made: Declared) -> _Held:
    """The numbers that names have before the constructor's line, each by the last that it got."""
    line = view.line(made.node)
    held: _Held = {}
    for site in sites:
        size = as_size(site.value)
        number = None if size is None else size.evaluate()
        plain = site.name.replace("self.", "", 1).isidentifier() and site.name.strip("_")
        if plain and site.name != "return" and view.line(site.node) < line:
            held.pop(site.name, None)
            if number is not None:
                held[site.name] = number, _copied(view, site)
    return held


def _copied(view: View, site: ShapeSite) -> str | None:
    """The name whose value a site is given as it is: ``dim`` in ``self.dim = dim``."""
    import libcst as cst

    around = view.source.around(site.node)
    assignment = next((outer for outer in reversed(around) if isinstance(outer, cst.Assign)), None)
    if assignment is None or not isinstance(assignment.value, cst.Name):
        return None
    return assignment.value.value


def _function(view: View, made: Declared) -> cst.FunctionDef | None:
    """The function that a layer's constructor stands in."""
    import libcst as cst

    around = reversed(view.source.around(made.node))
    return next((outer for outer in around if isinstance(outer, cst.FunctionDef)), None)


def is_used(node: cst.CSTNode, name: str) -> bool:
    """Whether a name is read for more than to ask whether it is there, and to give it a default."""
    import libcst as cst

    if isinstance(node, cst.Name):
        return node.value == name
    if isinstance(node, cst.Assign) and all(
        isinstance(each.target, cst.Name) and each.target.value == name for each in node.targets
    ):
        return False
    parts = inner(node)
    if isinstance(node, cst.If):
        parts = [part for part in parts if part is not node.test]
    return any(is_used(part, name) for part in parts)
