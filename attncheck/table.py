"""The dimension table: which shapes the parameters of a function may have by their names.

A hypothesis is joint: one layout of the states, one way of writing the weights and one set of ties
hold for all parameters of a function together, since code that mixes conventions is what attncheck
is there to find. The primary ones are the table's own (SPEC section 1, after Bahdanau et al. 2015,
section 3.1 and appendix A.1.2; Luong et al. 2015, section 3.1; Vaswani et al. 2017, section 3.2);
the others exist only so that code which keeps to another convention throughout is left in peace.
"""

from __future__ import annotations

import functools
import itertools
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field, replace
from typing import Final, TypeAlias

from attncheck.algebra.shape import Shape
from attncheck.evidence.dimensions import SYMBOLS, Scope, relations, table_symbol
from attncheck.evidence.hints import Fitting, Hints
from attncheck.evidence.roles import Role, role_of, roles_of
from attncheck.record import record

__all__ = [
    "SYMBOLS",
    "Hints",
    "Hypothesis",
    "Role",
    "Scope",
    "hypotheses",
    "relations",
    "role_of",
    "roles_of",
    "table_symbol",
]

#: How many hypotheses a function may have: each is one more trace of it.
MOST: Final = 26


@record
class Hypothesis:
    """One joint assignment of shapes to the parameters that the table knows by name.

    ``label`` says the conventions in words; ``shapes`` leaves out what `Hints.shapes` already
    gives; ``roles`` has every parameter with a role, also one without a shape.
    """

    label: str
    primary: bool
    shapes: dict[str, Shape]
    roles: dict[str, str]


@record
class _Choice:
    """One convention: the shapes it gives to roles, or the symbols it takes for one another.

    ``cost`` is how unusual it is; the sum of costs orders hypotheses. ``needs`` is a symbol without
    which the convention says nothing.
    """

    label: str
    shapes: Mapping[Role, str]
    cost: int = 0
    primary: bool = True
    swaps: Mapping[str, str] = field(default_factory=dict)
    needs: str = ""


_Dimension: TypeAlias = tuple[_Choice, ...]

_STATE_ROLES: Final = (
    Role.ENCODER_STATES,
    Role.DECODER_STATE,
    Role.DECODER_STATES,
    Role.SCORES,
    Role.CONTEXT,
)
_QUERY_ROLES: Final = (Role.QUERY, Role.KEY, Role.VALUE, Role.SCORES, Role.CONTEXT)
_PROJECTION_ROLES: Final = (
    Role.QUERY_PROJECTION,
    Role.KEY_PROJECTION,
    Role.VALUE_PROJECTION,
    Role.OUTPUT_PROJECTION,
)


def _row(
    roles: Sequence[Role], label: str, shapes: str, cost: int = 0, *, primary: bool = True
) -> _Choice:
    """A choice from shapes written in the order of `roles`, ``-`` where it says nothing."""
    texts = [text.strip() for text in shapes.split("|")]
    given = {role: text for role, text in zip(roles, texts, strict=True) if text != "-"}
    if Role.SCORES in given:
        given[Role.WEIGHTS] = given[Role.SCORES]
    if "B" in shapes.split():
        given[Role.LENGTHS] = "B"
    return _Choice(label, given, cost, primary)


#: encoder states | one decoder state | all decoder states | scores, weights | context
_STATES: Final[_Dimension] = tuple(
    _row(_STATE_ROLES, label, shapes, cost, primary=primary)
    for label, shapes, cost, primary in (
        ("one step", "T_enc d_h | d_s | - | T_enc | d_h", 0, True),
        ("one step, batched", "B T_enc d_h | B d_s | - | B T_enc | B d_h", 0, True),
        ("all steps", "T_enc d_h | T_dec d_s | T_dec d_s | T_dec T_enc | T_dec d_h", 1, True),
        (
            "all steps, batched",
            "B T_enc d_h | B T_dec d_s | B T_dec d_s | B T_dec T_enc | B T_dec d_h",
            1,
            True,
        ),
        ("one step, time first", "T_enc B d_h | B d_s | - | - | B d_h", 1, False),
        ("one step kept as an axis", "B T_enc d_h | B 1 d_s | - | - | -", 1, False),
        ("state with a layer axis", "B T_enc d_h | 1 B d_s | - | - | -", 2, False),
        ("time first, state with a layer axis", "T_enc B d_h | 1 B d_s | - | - | -", 2, False),
        ("state as a row", "T_enc d_h | 1 d_s | - | - | -", 2, False),
        ("states as columns", "d_h T_enc | d_s 1 | d_s T_dec | - | -", 2, False),
        ("all steps, time first", "T_enc B d_h | T_dec B d_s | T_dec B d_s | - | -", 2, False),
    )
)

#: query | key | value | scores, weights | context
_QUERIES: Final[_Dimension] = tuple(
    _row(_QUERY_ROLES, label, shapes, cost, primary=primary)
    for label, shapes, cost, primary in (
        ("unbatched", "T_dec d_k | T_enc d_k | T_enc d_v | T_dec T_enc | T_dec d_v", 0, True),
        (
            "batched",
            "B T_dec d_k | B T_enc d_k | B T_enc d_v | B T_dec T_enc | B T_dec d_v",
            0,
            True,
        ),
        (
            "heads",
            "B n_heads T_dec d_k | B n_heads T_enc d_k | B n_heads T_enc d_v"
            " | B n_heads T_dec T_enc | B n_heads T_dec d_v",
            0,
            True,
        ),
        (
            "heads, unbatched",
            "n_heads T_dec d_k | n_heads T_enc d_k | n_heads T_enc d_v"
            " | n_heads T_dec T_enc | n_heads T_dec d_v",
            1,
            False,
        ),
        (
            "heads after time",
            "B T_dec n_heads d_k | B T_enc n_heads d_k | B T_enc n_heads d_v | - | -",
            1,
            False,
        ),
        ("one query", "d_k | T_enc d_k | T_enc d_v | T_enc | d_v", 1, False),
        ("one query, batched", "B d_k | B T_enc d_k | B T_enc d_v | B T_enc | B d_v", 1, False),
        ("time first", "T_dec B d_k | T_enc B d_k | T_enc B d_v | - | -", 1, False),
        ("keys as columns", "T_dec d_k | d_k T_enc | T_enc d_v | - | -", 1, False),
        ("keys as columns, batched", "B T_dec d_k | B d_k T_enc | B T_enc d_v | - | -", 1, False),
        (
            "keys as columns, heads",
            "B n_heads T_dec d_k | B n_heads d_k T_enc | B n_heads T_enc d_v | - | -",
            1,
            False,
        ),
        ("one query kept as an axis", "B 1 d_k | B T_enc d_k | B T_enc d_v | - | -", 2, False),
    )
)

_INPUTS: Final[_Dimension] = (
    _Choice("unbatched", {Role.INPUTS: "T_dec d_model"}),
    _Choice("batched", {Role.INPUTS: "B T_dec d_model"}),
    _Choice("time first", {Role.INPUTS: "T_dec B d_model"}, 1, primary=False),
)

_TABLE_WIDTHS: Final = _Choice("", {})
_VALUE_WIDTH: Final = _Choice("d_v is d_k", {}, 1, primary=False, swaps={"d_v": "d_k"})
_TIES: Final[_Dimension] = (
    _TABLE_WIDTHS,
    _VALUE_WIDTH,
    _Choice("T_enc is T_dec", {}, 1, False, {"T_enc": "T_dec"}, needs="T_dec"),
    _Choice("self-attention", {}, 1, False, {"T_enc": "T_dec", "d_v": "d_k"}, needs="T_dec"),
)

#: Inputs before their projection all have the width of the model.
_MODEL_WIDTH: Final = {"d_k": "d_model", "d_v": "d_model"}
_STATES_OF_MODEL_WIDTH: Final = _Choice(
    "states of width d_model", {}, 2, primary=False, swaps={"d_s": "d_model", "d_h": "d_model"}
)

_PAPER: Final = {
    Role.STATE_WEIGHT: "d_attn d_s",
    Role.ENCODER_WEIGHT: "d_attn d_h",
    Role.GENERAL_WEIGHT: "d_s d_h",
    Role.CONCAT_WEIGHT: "d_attn d_s+d_h",
}
#: Luong's W stands alone: with no other weight beside it, the paper's layout is all there is to
#: go by.
_TRANSPOSED: Final = {
    role: text if role is Role.GENERAL_WEIGHT else " ".join(reversed(text.split()))
    for role, text in _PAPER.items()
}

#: How the weights of the score are written, together with the vector that ends it.
_SCORING: Final[_Dimension] = tuple(
    _Choice(label, {**weights, Role.SCORE_VECTOR: vector}, cost, primary=cost == 0)
    for label, weights, vector, cost in (
        ("weights as in the papers", _PAPER, "d_attn", 0),
        ("weights transposed", _TRANSPOSED, "d_attn", 1),
        ("weights transposed, v_a a column", _TRANSPOSED, "d_attn 1", 1),
        ("weights as in the papers, v_a a row", _PAPER, "1 d_attn", 2),
        ("weights as in the papers, v_a a column", _PAPER, "d_attn 1", 2),
        ("weights transposed, v_a a row", _TRANSPOSED, "1 d_attn", 3),
    )
)

#: query, key and value projection | output projection
_ONE_HEAD: Final = "d_model d_k | d_model d_k | d_model d_v | d_v d_model"
_ALL_HEADS: Final = "d_model d_model | d_model d_model | d_model d_model | d_model d_model"
_STACKED: Final = (
    "n_heads d_model d_k | n_heads d_model d_k | n_heads d_model d_v | n_heads*d_v d_model"
)
_WIDE: Final = (
    "d_model n_heads*d_k | d_model n_heads*d_k | d_model n_heads*d_v | n_heads*d_v d_model"
)
_FLIPPED: Final = "d_k d_model | d_k d_model | d_v d_model | d_model d_v"


def _projections(first: str, second: str) -> _Dimension:
    """The ways to write projections, those of the table in `first` form, `second` next."""
    return tuple(
        _row(_PROJECTION_ROLES, label, shapes, cost, primary=cost == 0)
        for label, shapes, cost in (
            ("projections (in, out)", first, 0),
            ("projections of the other width", second, 1),
            ("projections (out, in)", _FLIPPED, 1),
            ("one projection a head", _STACKED, 2),
            ("heads side by side", _WIDE, 2),
        )
    )


_PROJECTIONS: Final = _projections(_ONE_HEAD, _ALL_HEADS)
_HEAD_PROJECTIONS: Final = _projections(_ALL_HEADS, _ONE_HEAD)
#: A cross-attention over states projects each from its own width.
_STATE_PROJECTIONS: Final[_Dimension] = (
    _row(_PROJECTION_ROLES, "projections (in, out)", "d_s d_k | d_h d_k | d_h d_v | -"),
    _row(
        _PROJECTION_ROLES,
        "projections (out, in)",
        "d_k d_s | d_k d_h | d_v d_h | -",
        1,
        primary=False,
    ),
    *(
        replace(choice, cost=choice.cost + 1, primary=False, swaps=_STATES_OF_MODEL_WIDTH.swaps)
        for choice in _PROJECTIONS[:2]
    ),
)

_PLURAL: Final = frozenset({"keys", "values", "ks", "vs"})
_WORD: Final = re.compile(r"[A-Za-z_]\w*")


def hypotheses(
    parameters: Sequence[str], scope: Scope, *, hints: Hints | None = None
) -> list[Hypothesis]:
    """The joint hypotheses about `parameters`, the likeliest first, the primary ones before all.

    Empty where fewer than two parameters are recognised as tensors: one word proves nothing. A
    hypothesis that contradicts `hints` (another rank; one symbol that would need two numbers) is
    not among them.
    """
    hints = Hints() if hints is None else hints
    roles, texts = _written(tuple(parameters), hints.has_weights)
    found: list[Hypothesis] = []
    for label, primary, shapes in texts:
        if len(found) == MOST:
            break
        built = Fitting(scope, hints).fit(shapes)
        if built is not None:
            names = {name: str(role) for name, role in roles.items()}
            found.append(Hypothesis(label, primary, built, names))
    return found


@functools.cache
def _written(
    parameters: tuple[str, ...], has_weights: bool
) -> tuple[Mapping[str, Role], tuple[tuple[str, bool, dict[str, str]], ...]]:
    """The roles and the distinct hypotheses of a signature, as text; signatures repeat a lot."""
    roles = roles_of(parameters)
    conventions = _conventions(roles, parameters, has_weights)
    return roles, tuple(_distinct(roles, conventions))


def _conventions(
    roles: Mapping[str, Role], parameters: Sequence[str], has_weights: bool
) -> list[_Choice]:
    """All combinations of conventions that concern these roles, each merged into one choice."""
    dimensions = _dimensions(set(roles.values()), parameters, has_weights)
    if not dimensions:
        return []
    merged = [
        _merge(choices)
        for choices in itertools.product(*dimensions)
        if all(_concerns(choice, choices) for choice in choices)
    ]
    merged.sort(key=lambda choice: (not choice.primary, choice.cost))
    return merged


def _dimensions(
    present: set[Role], parameters: Sequence[str], has_weights: bool
) -> list[_Dimension]:
    """The conventions to combine: of the states, of queries and keys, or of a self-attention."""
    projected = not present.isdisjoint(_PROJECTION_ROLES)
    scoring = [_SCORING] if not present.isdisjoint(_SCORING[0].shapes) else []
    if Role.ENCODER_STATES in present or present & {Role.DECODER_STATE, Role.DECODER_STATES}:
        return [_state_layouts(present), *scoring, *_state_widths(projected, has_weights)]
    if Role.QUERY in present and present & {Role.KEY, Role.VALUE}:
        if scoring:
            return [_queries_as_states(_QUERIES), *scoring]
        layouts = _query_layouts(parameters)
        if projected or has_weights:
            return [_input_widths(layouts), _TIES[::2], *_projection_forms(projected, parameters)]
        return [layouts, _TIES]
    if Role.INPUTS in present and projected:
        return [_INPUTS, *_projection_forms(projected, parameters), _TIES[:2]]
    return []


def _state_layouts(present: set[Role]) -> _Dimension:
    """The layouts of the states; a query beside encoder states is a decoder state."""
    if Role.DECODER_STATES in present:
        return tuple(layout for layout in _STATES if Role.DECODER_STATES in layout.shapes)
    if Role.QUERY not in present:
        return _STATES
    return tuple(
        replace(layout, shapes={**layout.shapes, Role.QUERY: layout.shapes[Role.DECODER_STATE]})
        for layout in _STATES
    )


def _state_widths(projected: bool, has_weights: bool) -> list[_Dimension]:
    if projected:
        return [_STATE_PROJECTIONS]
    return [(_TABLE_WIDTHS, _STATES_OF_MODEL_WIDTH)] if has_weights else []


def _query_layouts(parameters: Sequence[str]) -> _Dimension:
    """The layouts of queries and keys; one query for many keys is what ``query, keys`` says."""
    if "query" not in parameters or _PLURAL.isdisjoint(parameters):
        return _QUERIES
    return tuple(
        replace(layout, primary=True) if layout.label.startswith("one query") else layout
        for layout in _QUERIES
    )


def _queries_as_states(layouts: _Dimension) -> _Dimension:
    """Queries and keys that an additive score joins: each may have a size of its own."""
    return tuple(
        replace(
            layout,
            primary=layout.primary or layout.label in ("one query", "one query, batched"),
            shapes={
                role: text.replace("d_k", "d_s" if role is Role.QUERY else "d_h")
                for role, text in layout.shapes.items()
            },
        )
        for layout in layouts
        if "n_heads" not in layout.shapes[Role.QUERY]
    )


def _input_widths(layouts: _Dimension) -> _Dimension:
    """Layouts of queries, keys and values before they are projected and split into heads."""
    return tuple(
        replace(
            layout,
            shapes={role: _swap(text, _MODEL_WIDTH) for role, text in layout.shapes.items()},
        )
        for layout in layouts
        if "n_heads" not in layout.shapes[Role.QUERY]
    )


def _projection_forms(projected: bool, parameters: Sequence[str]) -> list[_Dimension]:
    if not projected:
        return []
    heads = any(table_symbol(name) == "n_heads" for name in parameters)
    return [_HEAD_PROJECTIONS if heads else _PROJECTIONS]


def _concerns(choice: _Choice, choices: Sequence[_Choice]) -> bool:
    """Whether `choice` says anything beside the others: no tie of T_dec where there is none."""
    return choice.needs == "" or any(
        choice.needs in text.split() for other in choices for text in other.shapes.values()
    )


def _merge(choices: Sequence[_Choice]) -> _Choice:
    swaps = {old: new for choice in choices for old, new in choice.swaps.items()}
    return _Choice(
        ", ".join(choice.label for choice in choices if choice.label),
        {role: _swap(text, swaps) for choice in choices for role, text in choice.shapes.items()},
        sum(choice.cost for choice in choices),
        all(choice.primary for choice in choices),
    )


def _swap(text: str, swaps: Mapping[str, str]) -> str:
    return _WORD.sub(lambda word: swaps.get(word[0], word[0]), text) if swaps else text


def _distinct(
    roles: Mapping[str, Role], conventions: Sequence[_Choice]
) -> Iterator[tuple[str, bool, dict[str, str]]]:
    """Label, rank and shapes as text of the conventions that differ for these parameters."""
    seen = set()
    for choice in conventions:
        shapes = {
            name: choice.shapes[role] for name, role in roles.items() if role in choice.shapes
        }
        key = tuple(shapes.items())
        tensors = sum(roles[name] is not Role.LENGTHS for name in shapes)
        if key not in seen and tensors > 1:
            seen.add(key)
            yield choice.label, choice.primary, shapes
