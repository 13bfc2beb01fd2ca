"""A mask on the wrong axis of the scores: across axes that are not its own, or along the queries.

Along the queries whole rows are hidden, and no key is.
"""

from __future__ import annotations

from collections.abc import Iterator

from attncheck.algebra.shape import Shape
from attncheck.attention import behind
from attncheck.checks import (
    chunk_rows,
    compared_rows,
    featured_masks,
    listed_masks,
    mask_arguments,
    merged_masks,
    plain,
    turned_masks,
)
from attncheck.checks.entries import entries, is_named, masked_again
from attncheck.checks.fast_parts import over_fast_parts
from attncheck.checks.mask_places import FUNCTION, are_one, is_of_mask, misplaced
from attncheck.checks.masks import rests_on_mask, written_into
from attncheck.checks.painted import painted
from attncheck.checks.reach import keys_from_end
from attncheck.checks.report import Culprit, Report, Sizes, hidden_while, text_of
from attncheck.checks.terms import Term, terms
from attncheck.checks.view import View
from attncheck.graph import Operand, Operation
from attncheck.operators.events import Attention, Elementwise, Fault
from attncheck.record import record
from attncheck.rule import Rule
from attncheck.values.tensor import Evidence
from attncheck.values.value import as_tensor

RULE = Rule("ATN501", "mask-axis", "a mask that reaches scores on the wrong axis", fix="unsafe")


@record
class _Masked:
    """Scores of a self-attention, the masks that are put on them, and where its axes are.

    Places are counted from the end.
    """

    operation: Operation
    masks: list[Operand]
    rank: int
    queries: int
    keys: int


ON = (Elementwise, Attention, Fault.AGREEMENT)


def check(operation: Operation, view: View) -> Iterator[Report]:
    """Report a mask that meets other axes of the scores than its own."""
    if not isinstance(operation.event, Elementwise):
        yield from mask_arguments.report(RULE, operation, view)
        yield from listed_masks.report(RULE, operation, view)
        yield from turned_masks.report(RULE, operation, view)
    else:
        yield from compared_rows.report(RULE, operation, view)
    found = view.remembered(misplaced, operation)
    if found is None and is_of_mask(operation):
        twice = merged_masks.merged(operation, view)
        if twice is not None:
            yield merged_masks.report(RULE, twice, operation, view)
            return
        yield from plain.report(RULE, operation, view, *plain.paired(operation, view))
    if found is None or found.mask.node is None:
        return
    if operation.place.calls and found.tensor.evidence is Evidence.PROSE:
        return  # callers' docstrings tell of the mask that the model is given, not of this one
    mask, scores = view.text(found.tensor), text_of(found.scores.sizes())
    lined = f"axes line up from the last one on, so that {found.own} meets {found.met}"
    if found.met is None:
        lined = f"it has an axis more, so that all scores are repeated for each of its {found.own}"
    should = "with an axis of 1 wherever the scores have an axis that the mask has not"
    if found.of_queries:
        lined = f"it hides {found.own} positions, as many as there are queries, and there are"
        lined = f"{lined} {found.met} keys, of another sequence"
        should = "one for each key: the mask of the sequence that keys and values are of"
    yield Report(
        RULE,
        operation,
        operation.node,
        f"`{view.quote(operation.node)}` puts a mask of {mask} on scores of {scores}: {lined}",
        Culprit(found.mask.node, found.tensor),
        found.expected,
        should,
        hidden=hidden_while(operation, view.facts),
    )


def check_trace(view: View) -> Iterator[Report]:
    """Report, for each self-attention, masks that tell queries apart where none tells keys.

    And masks that are made of features where positions are wanted.
    """
    yield from featured_masks.of_features(RULE, view)
    yield from chunk_rows.of_first_query(RULE, view)
    yield from over_fast_parts(RULE, view)
    yield from painted(RULE, view, masks=True)
    for masked in (*_sites(view), *_layers(view)):
        found = [
            (operand, term)
            for operand in masked.masks
            if (tensor := as_tensor(operand.value)) is not None
            for term in terms(tensor, masked.rank, view)
        ]
        if any(
            term.varies(masked.keys) is not False
            for _, term in found
            if not _is_table(term, masked)
        ):
            continue
        tables = [term for _, term in found if _is_table(term, masked)]
        for operand, term in found:
            if term in tables or _is_compared(term, tables, view):
                continue
            if term.varies(masked.queries) is not False:
                yield from _report(operand, term, masked, view)


def _sites(view: View) -> Iterator[_Masked]:
    """The self-attention that the program writes out, with all masks on its scores."""
    for site in view.sites:
        found = list(entries(site, view))
        if not found or written_into(site, view) or masked_again(site, view):
            continue
        entry = found[-1]
        keys = keys_from_end(entry, site, view)
        shape = view.shape(as_tensor(entry.scores.value))
        queries = None if keys is None or shape is None else _queries(shape, keys)
        if queries is not None and keys is not None and shape is not None:
            masks = [each.mask for each in found]
            yield _Masked(entry.operation, masks, len(shape.axes), queries, keys)


def _layers(view: View) -> Iterator[_Masked]:
    """The self-attention of the library, with all masks that it is given."""
    for operation in view.graph.operations:
        event = operation.event
        if not isinstance(event, Attention) or not are_one(event.query, event.key):
            continue
        masks = [operand for operand, _ in operation.tensors() if "mask" in operand.name]
        shape = None if operation.kind != FUNCTION else view.shape(as_tensor(operation.output))
        rank = 3 if shape is None or not shape.closed else len(shape.axes)
        if not any("padding" in operand.name for operand in masks):
            yield _Masked(operation, masks, rank, 1, 0)


def _queries(shape: Shape, keys: int) -> int | None:
    """The place of the queries in the scores of a self-attention; None in any other."""
    if not shape.closed or keys >= len(shape.axes):
        return None
    key = shape.axes[-1 - keys]
    found = [
        place
        for place in range(len(shape.axes))
        if place != keys and are_one(shape.axes[-1 - place], key)
    ]
    return found[0] if len(found) == 1 else None


def _is_table(term: Term, masked: _Masked) -> bool:
    """Whether a term is the same for all sequences: a causal mask, a window."""
    return term.whole and term.axes.keys() == {masked.queries, masked.keys}


def _is_compared(term: Term, tables: list[Term], view: View) -> bool:
    """Whether what lies along the queries is also compared with the keys: it is of queries, then.

    ``(kinds[:, None] == kinds) | (kinds[:, None] == ALL)``: some of the queries attend to all keys.
    """
    made = {each.number for table in tables for each in behind(view.graph, table.tensor)}
    return any(each.number in made for each in term.ones.values())


# -- words ----------------------------------------------------------------------------------------


def _report(operand: Operand, term: Term, masked: _Masked, view: View) -> Iterator[Report]:
    made = term.ones.get(masked.keys)
    output = None if made is None else as_tensor(made.output)
    tensor = as_tensor(operand.value)
    if made is None or output is None or tensor is None or made.elsewhere:
        return
    certain = rests_on_mask(view.graph, tensor)
    if not certain and not is_named(operand, view):
        return
    yield Report(
        RULE,
        masked.operation,
        made.node,
        f"`{view.quote(made.node)}` lays the mask along the queries: the rows of hidden positions"
        " are masked, and every query still attends to these positions as keys; it runs because"
        " queries and keys are one sequence",
        Culprit(made.node, output),
        _exchanged(view.sizes(output), masked),
        "with its positions where the keys of the scores are, and 1 where the queries are, so that"
        " no query sees what is hidden",
        axis=None if masked.keys else -1 - masked.queries,
        function=made.place.function,
        named=not certain,
    )


def _exchanged(sizes: Sizes | None, masked: _Masked) -> Sizes | None:
    """Sizes with those of the queries and the keys exchanged, where they are at their places."""
    if sizes is None or len(sizes) <= max(masked.queries, masked.keys):
        return None
    listed = list(sizes)
    a, b = -1 - masked.queries, -1 - masked.keys
    listed[a], listed[b] = listed[b], listed[a]
    return tuple(listed)
