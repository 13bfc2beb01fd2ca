"""Queries, keys and values from the wrong sequence, or from each other's projection."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from attncheck.attention import behind
from attncheck.checks.added_back import added_back
from attncheck.checks.cancelled_queries import cancelled_queries
from attncheck.checks.report import Culprit, Report
from attncheck.checks.sorted_twice import sorted_twice
from attncheck.checks.sources import Trio, inputs_behind, projection_behind, trios
from attncheck.checks.twice_joined import twice_joined
from attncheck.checks.unread_parts import unread_parts
from attncheck.checks.unrestored import unrestored_weights
from attncheck.checks.view import View
from attncheck.evidence.identifiers import names_in, spoken
from attncheck.evidence.roles import decodes, projection_of
from attncheck.graph import Operand, Operation
from attncheck.record import record
from attncheck.rule import Rule
from attncheck.table import Role, role_of, roles_of
from attncheck.values.tensor import Tensor
from attncheck.values.value import Instance, Layer, as_tensor

if TYPE_CHECKING:
    import libcst as cst

RULE = Rule(
    "ATN308",
    "source-mixup",
    "queries, keys or values taken from the wrong sequence or from each other",
    fix="unsafe",
)
_ROLES = (Role.QUERY_PROJECTION, Role.KEY_PROJECTION, Role.VALUE_PROJECTION)
_NAMES = ("queries", "keys", "values")


@record
class Misprojected:
    """One of the three parts made by the layer that is named after another part.

    ``made`` is the call of that layer, ``unused`` the layer that is named after the part.
    """

    part: int
    made: Operation
    named: Role
    unused: str


@record
class Apart:
    """Keys and values of different sequences: ``odd`` is the part to change, ``like`` the other."""

    odd: Tensor
    like: Tensor
    part: int
    sources: tuple[str, str]


def check_trace(view: View) -> Iterator[Report]:
    """Report each attention whose three inputs do not belong together."""
    for trio in trios(view):
        if trio.operation.clash is not None or trio.sum.clash is not None:
            continue
        wrong = misprojected(trio, view)
        if wrong is not None:
            yield _misprojected_report(wrong, view)
            continue
        apart = keys_and_values(trio, view)
        if apart is not None:
            yield from _apart_report(trio, apart, view)
        elif asks_backwards(trio, view) is not None:
            yield from _backwards_report(trio, view)
    yield from twice_joined(RULE, view)
    yield from unread_parts(RULE, view)
    yield from cancelled_queries(RULE, view)
    yield from unrestored_weights(RULE, view)
    yield from sorted_twice(RULE, view)
    yield from added_back(RULE, view)
    for operation in view.graph.operations:
        if operation.clash is None and given_backwards(operation, view) is not None:
            yield from _exchanged_report(operation, view)


# -- the projection of another part ----------------------------------------------------------------


def misprojected(trio: Trio, view: View) -> Misprojected | None:
    """A part that the layer named after another part makes, while its own layer is not used."""
    made = [projection_behind(view, part) for part in trio.parts]
    names = [None if each is None else _layer_name(each) for each in made]
    roles = [None if name is None else projection_of(name) for name in names]
    if not trio.told and (roles[0] is _ROLES[1]) + (roles[1] is _ROLES[0]) > (
        (roles[0] is _ROLES[0]) + (roles[1] is _ROLES[1])
    ):
        # Scores may be written with the keys on the left.
        made[:2], names[:2] = reversed(made[:2]), reversed(names[:2])
    layers = _layers(view)
    for part, (operation, name) in enumerate(zip(made, names, strict=True)):
        named = None if name is None else projection_of(name)
        if operation is None or operation.place.calls or named in (None, _ROLES[part]):
            continue
        own = [each for each in layers if projection_of(each) is _ROLES[part]]
        if len(own) == 1 and not _is_called(view, own[0]) and name in layers:
            assert named is not None
            return Misprojected(part, operation, named, own[0])
    return None


def _is_called(view: View, name: str) -> bool:
    """Whether a layer is called at all: what is made of it may be followed no further."""
    return re.search(rf"\.\s*{re.escape(name)}\s*\(", view.source.text) is not None


def _layer_name(made: Operation) -> str | None:
    """The name of the attribute that was called: ``W_q`` of ``self.W_q(x)``."""
    function = getattr(made.node, "func", None)
    return getattr(getattr(function, "attr", None), "value", None)


def _layers(view: View) -> list[str]:
    """The layers of the object whose method is traced, by name."""
    for site in view.traced.sites:
        if isinstance(site.value, Instance):
            attributes = site.value.attributes
            return [name for name, value in attributes.items() if isinstance(value, Layer)]
    return []


def _misprojected_report(found: Misprojected, view: View) -> Report:
    made, part = found.made, _NAMES[found.part]
    named = _NAMES[_ROLES.index(found.named)]
    output = as_tensor(made.output)
    assert output is not None
    message = (
        f"`{view.quote(made.node)}` makes the {part} with the projection that is named after the"
        f" {named}; `{found.unused}` is not used: {part} and {named} are one and the same, no shape"
        " shows it, and the other layer never learns anything"
    )
    return Report(
        RULE,
        made,
        made.node,
        message,
        Culprit(made.node, output),
        None,
        f"the {part} projected by `{found.unused}`, so that what is looked for, what is compared"
        " and what is read can differ",
        named=True,
    )


# -- keys and values -------------------------------------------------------------------------------


def keys_and_values(trio: Trio, view: View) -> Apart | None:
    """Keys and values of different inputs of which one is that of the queries, or None."""
    if trio.matched or not trio.told:
        return None
    query, key, value = (inputs_behind(view, part) for part in trio.parts)
    if not query or not key or not value or key & value:
        return None
    sources = "`, `".join(sorted(key)), "`, `".join(sorted(value))
    if value == query:
        return Apart(trio.value, trio.key, 2, sources)
    if key == query:
        return Apart(trio.key, trio.value, 1, sources)
    return None


def _apart_report(trio: Trio, apart: Apart, view: View) -> Iterator[Report]:
    made = projection_behind(view, apart.odd) or trio.sum
    place = _place(made)
    if place is None:
        return
    keys, values = apart.sources
    message = (
        f"`{view.quote(trio.sum.node)}` weights values made of `{values}` by how well keys made of"
        f" `{keys}` fit: position i of the one gets the weight of position i of the other; it runs"
        " only while both sequences are of one length"
    )
    yield Report(
        RULE,
        made,
        place[0],
        message,
        Culprit(place[0], apart.odd),
        None,
        "keys and values of one sequence, a value for each key",
        function=place[1],
    )


def _place(made: Operation) -> tuple[cst.CSTNode, str] | None:
    """Where the traced function itself does what leads to an operation."""
    if made.place.calls:
        return made.place.calls[0].node, made.place.calls[0].function
    return None if made.elsewhere else (made.node, made.place.function)


# -- a decoder that is asked by its encoder --------------------------------------------------------


def asks_backwards(trio: Trio, view: View) -> tuple[str, str] | None:
    """The encoder's states that ask and the input that is asked, in something that decodes."""
    function = view.traced.function
    if function is None or not trio.told or not decodes(function.qualified):
        return None
    query, key, value = (inputs_behind(view, part) for part in trio.parts)
    if len(query) != 1 or len(key) != 1 or key != value or query == key:
        return None
    (asks,), (asked,) = query, key
    names = [site.name for site in view.traced.sites if site.node in view.parameters]
    roles = roles_of(names)
    encoded = [roles.get(name) or role_of(name) for name in (asks, asked)]
    if encoded[0] is Role.ENCODER_STATES and encoded[1] is not Role.ENCODER_STATES:
        return asks, asked
    return None


def _backwards_report(trio: Trio, view: View) -> Iterator[Report]:
    found, place = asks_backwards(trio, view), _place(trio.operation)
    if found is None or place is None:
        return
    asks, asked = found
    message = (
        f"`{view.quote(place[0])}` makes the queries of `{asks}` and the keys of `{asked}`: the"
        f" encoder looks at the decoder, and the result has one row for each position of `{asks}`;"
        " hidden while both sequences are of one length"
    )
    yield Report(
        RULE,
        trio.operation,
        place[0],
        message,
        Culprit(place[0], trio.query),
        None,
        f"queries of `{asked}`, keys and values of `{asks}`: the decoder looks at the encoder's"
        " states (Vaswani et al. 2017, section 3.2.3)",
        function=place[1],
        named=True,
    )


# -- a library's decoder that is given its inputs in the other order -------------------------------

#: Decoders of torch: ``(tgt, memory)``.
_DECODERS = frozenset({"decoder", "decoder_layer"})


def given_backwards(operation: Operation, view: View) -> tuple[Operand, Operand] | None:
    """The target and the memory of a decoder whose target is what an encoder gave; else None.

    The memory then comes from no encoder, and its name is no encoder's either. Where nobody knows
    where they come from, what is called the memory stands where what is called the query belongs.
    """
    given = {operand.name: (operand, tensor) for operand, tensor in operation.tensors()}
    if operation.kind not in _DECODERS or operation.elsewhere or not {"tgt", "memory"} <= {*given}:
        return None
    target, memory = given["tgt"], given["memory"]
    name = spoken(target[0].node)
    encoded = name is not None and (name == "memory" or role_of(name) is Role.ENCODER_STATES)
    if not encoded or _is_encoded(memory[1], view):
        return None
    asked = spoken(memory[0].node)
    if not _is_encoded(target[1], view) and (asked is None or not _asks(asked)):
        return None
    others = {*names_in(memory[0].node)}
    if any(each == "memory" or role_of(each) is Role.ENCODER_STATES for each in others):
        return None
    return target[0], memory[0]


def _asks(name: str) -> bool:
    """Whether what is called so is what a decoder starts from: queries, a target."""
    words = set(name.lower().split("_"))
    return role_of(name) is Role.QUERY or bool(words & {"queries", "tgt", "target", "targets"})


def _is_encoded(tensor: Tensor, view: View) -> bool:
    """Whether an encoder of the library stands behind a tensor."""
    return any(made.kind in ("encoder", "encoder_layer") for made in behind(view.graph, tensor))


def _exchanged_report(operation: Operation, view: View) -> Iterator[Report]:
    found = given_backwards(operation, view)
    if found is None or found[0].node is None:
        return
    target, memory = (view.quote(operand.node) for operand in found)
    made = _is_encoded(next(operation.tensors())[1], view)
    why = "which an encoder made" if made else "the memory by its name"
    message = (
        f"`{view.quote(operation.node)}` decodes `{target}`, {why}, and takes"
        f" `{memory}` for the memory: torch's decoder wants the target first and the memory second;"
        f" the result has one row for each position of `{target}`"
    )
    yield Report(
        RULE,
        operation,
        operation.node,
        message,
        Culprit(found[0].node, next(operation.tensors())[1]),
        None,
        f"`{memory}` first, which asks, and `{target}` second, which is asked",
        named=True,
    )
