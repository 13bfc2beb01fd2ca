"""Two parts of one attention taken of one tensor, while the one that was made for a part is unread.

``k = queries.reshape(...)`` beside ``keys = x @ W_k``, which nothing reads: every query is compared
with queries, the key projection never learns, and no shape shows it. Shared projections are no
mistake by themselves (Kitaev et al. 2020, section 2, share queries and keys): what tells is the
tensor that was made for the part, in the same way, for nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

import libcst as cst

from attncheck.checks.reads import is_read
from attncheck.checks.report import Culprit, Report
from attncheck.checks.sources import PARTS, Trio, projection_behind, root_of, trios
from attncheck.checks.states import names_of
from attncheck.checks.twice_joined import unread_twins
from attncheck.checks.view import View
from attncheck.evidence.roles import projection_of
from attncheck.graph import Operation
from attncheck.operators.events import MOVES, Elementwise
from attncheck.record import record
from attncheck.rule import Rule
from attncheck.table import Role, role_of, roles_of
from attncheck.tracer.machine import ShapeSite
from attncheck.tree.pairs import parts
from attncheck.values.tensor import Tensor
from attncheck.values.value import as_tensor

_MOST_STEPS = 16
_PLURALS = ("queries", "keys", "values")
_ROLES = (Role.QUERY, Role.KEY, Role.VALUE)
_PROJECTIONS = (Role.QUERY_PROJECTION, Role.KEY_PROJECTION, Role.VALUE_PROJECTION)


@record
class UnreadPart:
    """A part that is taken of another's tensor, and what was made for it.

    ``made`` takes the ``shared`` tensor for the part, ``mention`` is its name there.
    """

    part: int
    other: int
    made: Operation
    node: cst.CSTNode
    mention: cst.Name
    shared: Tensor
    twin: ShapeSite


@record
class _Way:
    """How a part was made: the tensors behind it, the part first, and what reads each of them."""

    tensors: tuple[Tensor, ...]
    readers: tuple[Operation, ...]


def unread_parts(rule: Rule, view: View) -> Iterator[Report]:
    """The reports of parts that are taken of another part's tensor."""
    for found in view.once(parts_unread):
        part, other = _PLURALS[found.part], _PLURALS[found.other]
        yield Report(
            rule,
            found.made,
            found.node,
            f"`{view.quote(found.node)}` takes its {part} from `{found.mention.value}`, which its"
            f" {other} come from as well; `{found.twin.name}`, {_origin(found, view)}, is never"
            " read: nothing raises while both are of one shape",
            Culprit(found.mention, found.shared),
            view.sizes(found.shared),
            f"`{found.twin.name}`, so that what is looked for, what is compared and what is read"
            " can differ",
            function=_function(found.made),
            named=True,
        )


def _origin(found: UnreadPart, view: View) -> str:
    if found.twin.node in view.parameters:
        return f"the argument for the {_PLURALS[found.part]}"
    return f"which {view.place(found.twin.node)} makes in the same way"


def parts_unread(view: View) -> list[UnreadPart]:
    """The parts of a trace's attentions that are another part's, once for each expression."""
    found: dict[object, UnreadPart] = {}
    for trio in trios(view):
        ways = [_way(trio, number, view) for number in range(len(PARTS))]
        for one, other in combinations(range(len(PARTS)), 2):
            each = _found(ways, one, other, view)
            if each is not None:
                found.setdefault(each.mention, each)
    return list(found.values())


def _found(ways: list[_Way], one: int, other: int, view: View) -> UnreadPart | None:
    later = {id(tensor) for tensor in ways[other].tensors}
    shared = next((tensor for tensor in ways[one].tensors if id(tensor) in later), None)
    if shared is None:
        return None
    for part, against in ((other, one), (one, other)):
        made = _reader(ways[part], shared)
        node = made.place.calls[0].node if made.place.calls else made.node
        twins = list(unread_twins(node, _function(made), shared, view))
        twins += _unread_arguments(shared, _ROLES[against], made, view)
        if made.clash is not None or len(twins) != 1 or _part_of(twins[0], made, view) != part:
            continue
        mention = _mention(node, part > against, shared, made, view)
        if mention is not None:
            return UnreadPart(part, against, made, node, mention, shared, twins[0])
    return None


def _unread_arguments(
    shared: Tensor, role: Role, made: Operation, view: View
) -> Iterator[ShapeSite]:
    """The arguments that are never read beside one that is a part by its name, and is shared.

    None that has a default: a caller may leave it out. The other two parts are read.
    """
    function = view.traced.function
    if function is None or function.qualified != _function(made):
        return
    if view.graph.maker(shared) is not None:
        return
    parameters = (*function.node.params.params, *function.node.params.kwonly_params)
    optional = {parameter.name for parameter in parameters if parameter.default is not None}
    given = [site for site in view.traced.sites if site.node in view.parameters]
    roles = roles_of([site.name for site in given])
    parts_given = [site for site in given if roles.get(site.name) in _ROLES]
    if len(parts_given) != len(_ROLES) or roles.get(root_of(shared)) is not role:
        return
    unread = [site for site in parts_given if not is_read(site.name, function.node.body, view)]
    if len(unread) == 1 and unread[0].node not in optional:
        yield unread[0]


def _way(trio: Trio, number: int, view: View) -> _Way:
    """The way back from a part through what moves, scales or projects it."""
    tensors = [trio.parts[number]]
    readers = [trio.sum if PARTS[number] == "value" else trio.operation]
    for _ in range(_MOST_STEPS):
        made = view.graph.maker(tensors[-1])
        sources = [] if made is None else [tensor for _, tensor in made.tensors()]
        if (
            made is None
            or not sources
            or not (_moves(made) or (len(sources) == 1 and _scales(made)))
        ):
            break
        tensors.append(sources[0])
        readers.append(made)
    return _Way(tuple(tensors), tuple(readers))


def _moves(made: Operation) -> bool:
    return isinstance(made.event, MOVES)


def _scales(made: Operation) -> bool:
    return isinstance(made.event, Elementwise) or made.kind == "linear_layer"


def _reader(way: _Way, shared: Tensor) -> Operation:
    """What reads a tensor on the way to a part."""
    pairs = zip(way.tensors, way.readers, strict=True)
    return next(reader for tensor, reader in pairs if tensor is shared)


def _part_of(twin: ShapeSite, made: Operation, view: View) -> int | None:
    """Which part a tensor was made for, by its name or by the projection that made it."""
    names = {site.name for sites, _ in view.sites_in(_function(made)) for site in sites}
    role = role_of(twin.name) or roles_of(sorted(names)).get(twin.name)
    if role in _ROLES:
        return _ROLES.index(role)
    tensor = as_tensor(twin.value)
    layer = None if tensor is None else projection_behind(view, tensor)
    called = getattr(getattr(layer and layer.node, "func", None), "attr", None)
    projection = None if called is None else projection_of(called.value)
    return _PROJECTIONS.index(projection) if projection in _PROJECTIONS else None


def _function(made: Operation) -> str:
    """The function that is traced, in which an operation or the call that leads to it stands."""
    return made.place.calls[0].function if made.place.calls else made.place.function


def _mention(
    node: cst.CSTNode, last: bool, shared: Tensor, made: Operation, view: View
) -> cst.Name | None:
    """Where an expression names a tensor; the last place if an operation has it on both sides."""
    names = names_of(view, _function(made), shared)
    found = [each for each in parts(node) if isinstance(each, cst.Name) and each.value in names]
    found.sort(key=lambda each: (view.source.span(each).line, view.source.span(each).column))
    if len(found) > 2:
        return None
    return found[-1 if last else 0] if found else None
