"""Why a product's contracted sizes differ: a transposed operand, a query and a key, or neither.

Three rules read this one diagnosis, so that exactly one of them speaks.
"""

from __future__ import annotations

import enum
from collections.abc import Iterator

from attncheck.algebra.facts import Facts, Verdict
from attncheck.algebra.size import Size
from attncheck.attention import is_weight, role_behind, tolerable
from attncheck.checks.constructed import layer_of
from attncheck.checks.letters import summed_clash
from attncheck.checks.lone_vectors import lone_vectors
from attncheck.checks.report import Culprit, Report, Sizes, hidden_while, text_of
from attncheck.checks.view import View
from attncheck.checks.weights import spoken_role
from attncheck.graph import Operand, Operation
from attncheck.operators.events import Attention, Contraction, Elementwise, Fault
from attncheck.record import record
from attncheck.rule import Rule
from attncheck.table import Role

#: Keras' layer for a product of what it is given: it has no weight.
_DOT = "dot"
#: The axes of a matrix.
_MATRIX = 2
_ACTIVATIONS = frozenset({"tanh", "relu", "sigmoid", "gelu", "leaky_relu"})
_STATES = {
    Role.ENCODER_STATES,
    Role.DECODER_STATE,
    Role.DECODER_STATES,
    Role.QUERY,
    Role.KEY,
    Role.VALUE,
}


class Kind(enum.Enum):
    """What kind of mistake a product is."""

    TRANSPOSED = "transposed"
    QUERY_KEY = "query and key"
    MISMATCH = "mismatch"


@record
class Diagnosis:
    """A product's mistake, the operand to blame, and the shape it should have where it stands."""

    kind: Kind
    culprit: Culprit
    expected: Sizes
    derivation: str


def diagnose(operation: Operation, view: View) -> Diagnosis | None:
    """The mistake of a product whose contracted sizes differ; None if it may be none."""
    tensors = list(operation.tensors())
    if isinstance(operation.event, Attention):
        return _attention(operation, view)
    if len(tensors) != 2 or operation.clash is None:
        return None
    (left, a), (right, b) = tensors
    if left.node is None or right.node is None:
        return None
    if operation.clash.fault is Fault.EINSUM:
        return _scores_by_letters(operation, view)
    x, y = view.sizes(a), view.sizes(b)
    has_weight = layer_of(operation) is not None and operation.kind != _DOT
    if x is None or y is None or has_weight:
        return None
    if view.remembered(lone_vectors, operation) is not None or tolerable(operation, view.graph):
        return None
    if _runs_otherwise(operation, (x, y), view):
        return None
    found = _transposed(operation, view, (left, right), (x, y))
    if found is not None:
        return found
    return _other(operation, view, (left, right), (x, y))


def _runs_otherwise(operation: Operation, sizes: tuple[Sizes, Sizes], view: View) -> bool:
    """Whether the program's own calls make a product work that names alone speak against.

    They do not if another axis has the number, too: a square hides which one is meant. States that
    stand as columns work by the axis that names call their positions.
    """
    clash = operation.clash
    if clash is None or clash.verdict is not Verdict.DISTINCT:
        return False
    if not view.coincide(clash.left, clash.right) or clash.left is None:
        return False
    (i, _), (j, _) = _contracted(operation, sizes)
    number = clash.left.evaluate(view.numbers)
    others = [
        None if size is None else size.evaluate(view.numbers)
        for side, own in zip(sizes, (i, j), strict=True)
        for place, size in enumerate(side)
        if place != own and len(side) - place <= _MATRIX
    ]
    return bool(others) and None not in others and number not in others


def _attention(operation: Operation, view: View) -> Diagnosis | None:
    """A library's attention: keys that are no query's, or values that are not one for each key."""
    clash, event = operation.clash, operation.event
    given = {operand.name: (operand, tensor) for operand, tensor in operation.tensors()}
    if clash is None or clash.operand == 0 or not isinstance(event, Attention):
        return None
    if "query" not in given or "value" not in given:
        return None
    # Keras' layers take the values for keys, where they are given none.
    keys = given.get("key", given["value"])
    of_features = event.features.verdict is not Verdict.EQUAL
    operand, tensor = keys if of_features else given["value"]
    sizes = view.sizes(tensor)
    if operand.node is None or sizes is None or len(sizes) < 2:
        return None
    other = view.quote((given["query"] if of_features else keys)[0].node)
    if of_features:
        wanted, kind, what = (*sizes[:-1], clash.left), Kind.QUERY_KEY, "features"
    else:
        wanted, kind, what = (*sizes[:-2], clash.left, sizes[-1]), Kind.MISMATCH, "positions"
    derivation = f"so that its {what} are the {clash.left} of `{other}`"
    return Diagnosis(kind, Culprit(operand.node, tensor), wanted, derivation)


def _scores_by_letters(operation: Operation, view: View) -> Diagnosis | None:
    """Scores that an einsum sums over features of a query and keys, of which they have not as many.

    Whatever else its letters do is told by the einsum's own rule.
    """
    summed = summed_clash(operation, view)
    if summed is None or not _scores(operation, view) or tolerable(operation, view.graph):
        return None
    tensors = list(operation.tensors())
    sizes = tuple(view.sizes(tensor) or () for _, tensor in tensors)
    index = _to_blame(Kind.QUERY_KEY, (sizes[0], sizes[1]))
    wanted, axis = list(sizes[index]), summed.axes[index]
    wanted[axis] = summed.sizes[1 - index]
    derivation = (
        f"so that its {_ordinal(axis, len(wanted))} axis is the {wanted[axis]} of"
        f" `{view.quote(tensors[1 - index][0].node)}`"
    )
    node, tensor = tensors[index][0].node, tensors[index][1]
    assert node is not None
    return Diagnosis(Kind.QUERY_KEY, Culprit(node, tensor), tuple(wanted), derivation)


def report(
    rule: Rule, kind: Kind, operation: Operation, view: View, wording: str, because: str = ""
) -> Iterator[Report]:
    """The report of `rule` if the product's mistake is of its kind.

    `wording` has places for the ``code``, the ``clash`` and the sizes ``left`` and ``right``;
    `because` is added to the derivation.
    """
    found = view.remembered(diagnose, operation)
    clash = operation.clash
    if found is None or clash is None or found.kind is not kind:
        return
    message = wording.format(
        code=view.quote(operation.node), clash=clash.text, left=clash.left, right=clash.right
    )
    yield Report(
        rule,
        operation,
        operation.node,
        message,
        found.culprit,
        found.expected,
        found.derivation + because,
        hidden=hidden_while(operation, view.facts),
    )


def _transposed(
    operation: Operation,
    view: View,
    operands: tuple[Operand, Operand],
    sizes: tuple[Sizes, Sizes],
) -> Diagnosis | None:
    """The operand whose last two axes, exchanged, make the contracted sizes agree."""
    order = (1, 0) if _blame_right(operation, view) else (0, 1)
    for index in order:
        if len(sizes[index]) < 2:
            continue
        flipped = list(sizes)
        flipped[index] = _turned(operation, view, index, sizes[index])
        seen = _as_factors(operation, flipped[0], flipped[1])
        if not _agrees(*seen, view.facts):
            continue
        node, tensor = operands[index].node, list(operation.tensors())[index][1]
        assert node is not None
        derivation = (
            f"as used here, so that {text_of(seen[0])} @ {text_of(seen[1])}"
            f" = {text_of(product_sizes(*seen))}"
        )
        return Diagnosis(Kind.TRANSPOSED, Culprit(node, tensor), flipped[index], derivation)
    return _swapped(operation, view, operands, sizes)


def _as_factors(operation: Operation, left: Sizes, right: Sizes) -> tuple[Sizes, Sizes]:
    """The factors of ``left @ right`` that an operation multiplies: a weight is used turned."""
    event = operation.event
    is_linear = isinstance(event, Contraction) and event.style == "linear" and len(right) == 2
    return left, _flip(right) if is_linear else right


def _swapped(
    operation: Operation,
    view: View,
    operands: tuple[Operand, Operand],
    sizes: tuple[Sizes, Sizes],
) -> Diagnosis | None:
    """Operands that agree the other way about."""
    left, right = sizes
    node = operands[0].node
    event = operation.event
    if isinstance(event, Contraction) and event.style == "linear":
        return None  # the weight is told from the input by its place
    if any(site.scores is operation for site in view.sites):
        return None  # a query before its keys is no mistake, whatever their sizes
    if min(len(left), len(right)) < 2 or node is None or not _agrees(right, left, view.facts):
        return None
    derivation = (
        f"`{view.quote(operands[1].node)}` first, so that {text_of(right)} @ {text_of(left)}"
        f" = {text_of(product_sizes(right, left))}"
    )
    tensor = next(operation.tensors())[1]
    return Diagnosis(Kind.TRANSPOSED, Culprit(node, tensor), right, derivation)


def _blame_right(operation: Operation, view: View) -> bool:
    """Whether the right operand is tried first: where it alone is a weight."""
    (_, a), (_, b) = operation.tensors()
    return is_weight(view.graph, b) and not is_weight(view.graph, a)


def _turned(operation: Operation, view: View, index: int, sizes: Sizes) -> Sizes:
    """An operand with its last two axes exchanged; of a stack that ``.T`` turned over, the stack's.

    ``K.T`` of (B, T, d) is (d, T, B): what was meant is (B, d, T).
    """
    made = view.graph.maker(list(operation.tensors())[index][1])
    if made is not None and made.kind == "reverse" and len(sizes) > 2:
        return (*reversed(sizes[2:]), *sizes[:2])
    return _flip(sizes)


def _flip(sizes: Sizes) -> Sizes:
    return (*sizes[:-2], sizes[-1], sizes[-2])


def _agrees(x: Sizes, y: Sizes, facts: Facts) -> bool:
    """Whether ``x @ y`` contracts equal sizes, and its batch axes agree."""
    a, b = x[-1], y[-2] if len(y) > 1 else y[-1]
    if a is None or b is None or facts.compare(a, b) is not Verdict.EQUAL:
        return False
    batches = zip(reversed(x[:-2]), reversed(y[:-2]), strict=False)
    return all(_may_pair(p, q, facts) for p, q in batches)


def _may_pair(p: Size | None, q: Size | None, facts: Facts) -> bool:
    if p is None or q is None or p.number == 1 or q.number == 1:
        return True
    return not facts.compare(p, q).clashes


def product_sizes(x: Sizes, y: Sizes) -> Sizes:
    """The sizes of ``x @ y``."""
    batch = x[:-2] if len(x) >= len(y) else y[:-2]
    rows = x[-2:-1] if len(x) > 1 else ()
    columns = y[-1:] if len(y) > 1 else ()
    return (*batch, *rows, *columns)


def _other(
    operation: Operation,
    view: View,
    operands: tuple[Operand, Operand],
    sizes: tuple[Sizes, Sizes],
) -> Diagnosis:
    """A product that no transpose mends: of a query and a key, or of just anything."""
    roles = {
        role_behind(view.graph, tensor) or spoken_role(view.base_name(operand.node))
        for operand, tensor in operation.tensors()
    }
    kind = Kind.QUERY_KEY if _scores(operation, view) or roles <= _STATES else Kind.MISMATCH
    index = _to_blame(kind, sizes)
    contracted = _contracted(operation, sizes)
    wanted = list(sizes[index])
    here, there = contracted[index], contracted[1 - index]
    wanted[here[0]] = there[1]
    node, tensor = operands[index].node, list(operation.tensors())[index][1]
    assert node is not None
    other = operands[1 - index]
    derivation = (
        f"so that its {_ordinal(here[0], len(wanted))} axis is the {there[1]} of"
        f" `{view.quote(other.node)}`"
    )
    return Diagnosis(kind, Culprit(node, tensor), tuple(wanted), derivation)


def _scores(operation: Operation, view: View) -> bool:
    """Whether an operation gives the scores of a site, of a query and keys and no weight."""
    if not any(site.scores is operation for site in view.sites):
        return False
    learned = any(is_weight(view.graph, tensor) for _, tensor in operation.tensors())
    return not learned and _is_dot(operation, view)


def _is_dot(operation: Operation, view: View) -> bool:
    """Whether a score is a plain product of a query and keys, not the end of an additive scorer."""
    for _, tensor in operation.tensors():
        made = view.graph.maker(tensor)
        event = None if made is None else made.event
        if isinstance(event, Elementwise) and event.symbol in _ACTIVATIONS:
            return False
        if tensor.role is not None and "vector" in tensor.role:
            return False
    return True


def _to_blame(kind: Kind, sizes: tuple[Sizes, Sizes]) -> int:
    """The operand to blame: of a query and a key the one with more axes, else the right one."""
    if kind is Kind.QUERY_KEY:
        return 0 if len(sizes[0]) > len(sizes[1]) else 1
    return 1


def _contracted(
    operation: Operation, sizes: tuple[Sizes, Sizes]
) -> tuple[tuple[int, Size | None], tuple[int, Size | None]]:
    """For each operand the contracted axis and its size."""
    event = operation.event
    if isinstance(event, Contraction) and event.left_axes and event.right_axes:
        i, j = event.left_axes[0], event.right_axes[0]
    else:
        i, j = -1, -2 if len(sizes[1]) > 1 else -1
    i, j = i % len(sizes[0]), j % len(sizes[1])
    return (i, sizes[0][i]), (j, sizes[1][j])


def _ordinal(index: int, rank: int) -> str:
    if index == rank - 1:
        return "last"
    return (
        ("first", "second", "third", "fourth", "fifth", "sixth")[index]
        if index < 6
        else f"{index}."
    )
