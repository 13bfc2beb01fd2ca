"""Hypotheses tried: which of the shapes that parameter names allow a function is written for.

Every joint hypothesis of the table is traced. One is adopted only if it alone of the table's own
(primary) ones is consistent. Where none is, the one that explains most of the rest tells the
finding; where several are, nothing is known by name (SPEC section 2).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import libcst as cst

from attncheck.algebra.facts import Verdict
from attncheck.algebra.shape import Axis, Shape
from attncheck.attention import LEARNED, Site, find_sites
from attncheck.graph import Operation
from attncheck.operators.events import COPYING, Contraction, Elementwise, Fault
from attncheck.table import Hints, Hypothesis, Role, hypotheses, table_symbol
from attncheck.tracer.machine import MAKING
from attncheck.tracer.terms import USUAL, Terms
from attncheck.tracer.trace import Traced, Tracer
from attncheck.tree.pairs import parameters_of
from attncheck.values.tensor import Tensor
from attncheck.values.value import Function, Int, Value, as_tensor, expanded

#: Operations without which a function is not attention, whatever its parameters are called.
_PRODUCTS = frozenset(
    [
        "matmul",
        "turned_matmul",
        "list_attention",
        "batch_dot",
        "mm",
        "bmm",
        "mv",
        "dot",
        "vector_dot",
        "inner",
        "einsum",
        "tensordot",
        "baddbmm",
        "softmax",
        "log_softmax",
    ]
)


#: What counts positions.
_TIMES = ("T_enc", "T_dec")
#: What gives each axis of a tensor a name.
_NAMING = {"unpack": Fault.RANK, "einsum": Fault.EINSUM}
#: Attention that is read by its names is short: in a longer function, and beyond so many operations
#: in all traces of one function together, names are left alone.
MOST_IN_ONE = 120
MOST_OPERATIONS = 900


@dataclass(slots=True)
class Supposed:
    """What trying the hypotheses of one function gave.

    ``consistent`` are the traces without a contradiction (of the primary ones if there are any);
    ``suspects``, where there are none, those with the fewest, the most telling first.
    """

    consistent: list[Traced] = field(default_factory=list)
    suspects: list[Traced] = field(default_factory=list)

    @property
    def adopted(self) -> Traced | None:
        """The trace whose shapes are the function's: the only consistent one."""
        return self.consistent[0] if len(self.consistent) == 1 else None


def suppose(
    tracer: Tracer, function: Function, general: Traced, contradictions: Callable[[Traced], int]
) -> Supposed:
    """Try the hypotheses about `function`; `contradictions` counts those of a trace."""
    supposed = Supposed()
    if not _is_short_attention(general):
        return supposed
    tolerated = []
    operations = 0
    for hypothesis in hypotheses(
        parameter_names(function), tracer.scope, hints=hints(tracer, function)
    ):
        if not hypothesis.primary and (supposed.consistent or not supposed.suspects):
            break
        traced = run_under(tracer, function, hypothesis)
        operations += len(traced.graph.operations)
        if operations > MOST_OPERATIONS:
            return Supposed()
        if not traced.complete or _is_named_otherwise(traced):
            continue
        if contradictions(traced):
            if hypothesis.primary and not _is_unpacked_otherwise(traced):
                supposed.suspects.append(traced)
        elif hypothesis.primary:
            supposed.consistent.append(traced)
        elif not _strained(traced) and (
            not _has_turned_keys(hypothesis) or _is_called(tracer, function)
        ):
            tolerated.append(traced)
    supposed.consistent = supposed.consistent or tolerated
    if supposed.consistent:
        supposed.suspects = []
    supposed.suspects.sort(key=lambda traced: (contradictions(traced), -_known(traced)))
    return supposed


def _is_called(tracer: Tracer, function: Function) -> bool:
    """Whether the file calls a function, or makes objects of its class, known or not."""
    if type(function.node) is not cst.FunctionDef:
        return True
    name, owner = function.node.name.value, function.owner
    if owner is not None and function.is_forward:
        name = owner.name
    call = re.compile(rf"(?<!def )(?<!class )\b{re.escape(name)}\s*\(")
    return any(call.search(line) for line in tracer.evidence.lines)


def _has_turned_keys(hypothesis: Hypothesis) -> bool:
    """Whether keys come in as columns, (..., d_k, T_enc), and so in another order than the values.

    That is told from a forgotten transpose by a caller alone; who writes down nothing but the names
    has the keys as rows, as the papers have them (Vaswani et al. 2017, equation 1).
    """
    keys = (name for name, role in hypothesis.roles.items() if role == Role.KEY)
    lasts = (shape.axes[-1].size for name in keys if (shape := hypothesis.shapes.get(name)))
    symbols = (None if last is None else last.symbol for last in lasts)
    return any(symbol is not None and table_symbol(symbol.name) in _TIMES for symbol in symbols)


def _is_unpacked_otherwise(traced: Traced) -> bool:
    """Whether the code says itself that a parameter has other axes: ``B, H, N, C = q.shape``.

    So does an einsum that has a letter for each of them.
    """
    return any(
        _counts_otherwise(operation)
        and any(_is_given(tensor, traced) for _, tensor in operation.tensors())
        for operation in traced.graph.clashes()
    )


def _counts_otherwise(operation: Operation) -> bool:
    """Whether an operation that names each axis of a tensor names more of them, or fewer."""
    clash = operation.clash
    if clash is None or clash.left is not None:
        return False
    return clash.fault is _NAMING.get(operation.kind)


def _is_given(tensor: Tensor, traced: Traced) -> bool:
    """Whether a tensor is a parameter, or a copy of one."""
    made = traced.graph.maker(tensor)
    while made is not None and made.kind in COPYING and made.source is not None:
        made = traced.graph.maker(made.source)
    return made is None


def _is_named_otherwise(traced: Traced) -> bool:
    """Whether the code calls another axis the batch: ``sq, b, np, hn = query.size()``."""
    sizes = (
        (table_symbol(site.name), site.value.size.symbol)
        for site in traced.sites
        if isinstance(site.value, Int) and site.value.size is not None
    )
    return any(
        symbol is not None
        and None not in (called, table_symbol(symbol.name))
        and (called == "batch_size") != (table_symbol(symbol.name) == "batch_size")
        for called, symbol in sizes
    )


def _is_short_attention(general: Traced) -> bool:
    """Whether a function multiplies, as attention does, and is no longer than attention is."""
    operations = general.graph.operations
    return len(operations) <= MOST_IN_ONE and any(
        operation.kind in _PRODUCTS for operation in operations
    )


def conventional(tracer: Tracer, function: Function) -> tuple[Traced | None, Traced | None]:
    """The trace in which a module's inputs have as many axes as their names say; and a general one.

    What layers over sequences are given is a batch of them, then, and so is what a layer made and
    turns for a product. The first is None where names say nothing that is not known otherwise, the
    second where nobody had to ask for it.
    """
    says = tracer.evidence.has_conventional(function) or tracer.has_sequences(function)
    if not says and not function.is_forward:
        return None, None
    general = None if says else tracer.run_function(function)
    if general is not None and is_all_known(general):
        return None, general
    traced = tracer.run_function(function, Terms(conventional=True))
    return traced if traced.complete else None, general


def is_all_known(traced: Traced) -> bool:
    """Whether the shapes of all that a function computes are known."""
    outputs = (as_tensor(each.output) for each in traced.graph.operations if not each.elsewhere)
    return all(tensor is None or is_known(tensor.shape) for tensor in outputs)


#: Contradictions that no other number of axes would make go away: two features of one kind.
_OF_FEATURES = frozenset({Fault.FEATURES, Fault.CONTRACTION})


def stands_anyway(traced: Traced) -> Operation | None:
    """The one contradiction of a trace which names have not made, or None.

    Where names say a wrong number of axes the code contradicts them. What a layer is given on its
    last axis, and what a product sums over, does not depend on how many there are before.
    """
    clashing = [operation for operation in traced.graph.operations if operation.clash]
    first = clashing[0] if clashing else None
    clash = None if first is None else first.clash
    if clash is None or clash.fault not in _OF_FEATURES or clash.verdict is not Verdict.DIFFERENT:
        return None
    ranks = any(each.clash is not None and each.clash.left is None for each in clashing)
    return None if ranks else first


def with_and_without(tracer: Tracer, function: Function, general: Traced) -> Iterator[Traced]:
    """The traces of a call without the arguments that are None by default, and with all of them.

    ``context=None`` is replaced by the input, a cache that is not there adds no positions, and one
    that is there does: what two ways make unknown is known on each of them. And the trace of a
    method of an object that was made without what its constructor need not be given: so it is made
    by whoever is content with that. None where everything is known as it is.
    """
    ways: list[Terms] = []
    named = general.terms.conventional
    if _may_differ(function, general):
        if tracer.may_leave_out(function):
            ways += [Terms(named, optional=given) for given in (False, True)]
        if tracer.has_switches(function):
            ways.append(Terms(named, configured=True))
    for terms in ways:
        traced = tracer.run_function(function, terms)
        if traced.complete:
            yield traced


def _may_differ(function: Function, general: Traced) -> bool:
    """Whether what is not given may decide about shapes that are not known in general."""
    names = set(parameter_names(function))
    if general.hypothesis is not None or function.name in MAKING:
        return False
    if not names - function.defaults.keys():
        return False  # nobody calls it with nothing at all
    return not is_all_known(general)


def is_known(shape: Shape | None) -> bool:
    """Whether every axis of a shape has a size that is more than the name of a variable."""
    return shape is not None and all(
        axis.size is not None and not any(symbol.found for symbol in axis.size.symbols())
        for axis in (*shape.lead, *shape.trail)
    )


def run_under(
    tracer: Tracer, function: Function, hypothesis: Hypothesis, terms: Terms = USUAL
) -> Traced:
    """Trace a function under a hypothesis, on the terms of `Tracer.run_function`."""
    return tracer.run_function(function, terms, hypothesis, open_pair=not has_weights(hypothesis))


def stated(tracer: Tracer, function: Function, contradictions: Callable[[Traced], int]) -> Traced:
    """The trace whose shapes can be stated of a function.

    That of the only hypothesis that is consistent, if the whole function is modelled: where a call
    is not, something else may be true inside it. What names and prose say is then taken for ranks
    only; that two sizes are equal is for operations to show.
    """
    tracer.evidence.loose = True
    general = tracer.run_function(function, Terms(conventional=True))
    if not general.complete or contradictions(general):
        general = tracer.run_function(function)
    tracer.evidence.loose = False
    consistent = []
    if _is_short_attention(general):
        for hypothesis in hypotheses(
            parameter_names(function), tracer.scope, hints=hints(tracer, function)
        ):
            traced = run_under(tracer, function, hypothesis)
            if not traced.complete or contradictions(traced) or _strained(traced):
                continue
            if Role.DECODER_STATES in hypothesis.roles.values() and function.owner is not None:
                # The states of one layer or of one step have the same name in a module.
                return general
            if traced.unmodelled:
                return general
            consistent.append(hypothesis)
    if not consistent or not _one_rank(consistent):
        return general
    tracer.evidence.loose = True
    traced = run_under(tracer, function, consistent[0], Terms(conventional=True))
    if contradictions(traced):
        traced = run_under(tracer, function, consistent[0])
    tracer.evidence.loose = False
    return general if contradictions(traced) else traced


def _one_rank(consistent: list[Hypothesis]) -> bool:
    """Whether hypotheses agree on the number of axes of every parameter."""
    first = {name: shape.rank for name, shape in consistent[0].shapes.items()}
    return all(
        {name: shape.rank for name, shape in other.shapes.items()} == first for other in consistent
    )


def _strained(traced: Traced) -> bool:
    """Whether a trace only works by doing what no attention does.

    It contracts an axis of 1 with a size that may be 1, or the batch; its weights are normalised
    over more than the keys; or it adds queries to keys one by one, though every query is scored
    with every key (Bahdanau et al. 2015, appendix A.1.2); or the code has another way for other
    shapes.
    """
    if any(operation.dismissed for operation in traced.graph.operations):
        return True
    if any(_adds_query_to_key(operation, traced) for operation in traced.graph.operations):
        return True
    sites = find_sites(traced.graph)
    if any(site.over_all and _is_table(site) for site in sites):
        return True
    if any(_is_batch(axis) for site in sites for total in site.sums for axis in total.contracted):
        return True
    return any(
        pair.left.is_one is not pair.right.is_one
        for operation in traced.graph.operations
        if isinstance(operation.event, Contraction)
        for pair in operation.event.pairs
        if pair.left.size is not None and pair.right.size is not None
    )


def _adds_query_to_key(operation: Operation, traced: Traced) -> bool:
    """Whether the positions of queries and those of keys are lined up with each other."""
    event, hypothesis = operation.event, traced.hypothesis
    if not isinstance(event, Elementwise) or event.symbol != "+" or hypothesis is None:
        return False
    if event.broadcast is None:
        return False
    return any(
        {_positions_of(axis, hypothesis) for axis in (pairing.left, pairing.right)}
        == {Role.QUERY, Role.KEY}
        for pairing in event.broadcast.pairings
    )


def _positions_of(axis: Axis | None, hypothesis: Hypothesis) -> str | None:
    """The role of the parameter whose positions an axis counts."""
    if axis is None or axis.tag is None or axis.size is None or axis.size.symbol is None:
        return None
    counts = table_symbol(axis.size.symbol.name) in _TIMES
    return hypothesis.roles.get(axis.tag.root) if counts else None


def _is_table(site: Site) -> bool:
    """Whether the weights of a site have more than one axis that is not 1."""
    weights = as_tensor(site.softmax.output)
    if weights is None or weights.shape is None or not weights.shape.closed:
        return False
    return sum(not axis.is_one for axis in weights.shape.axes) > 1


def _is_batch(axis: Axis) -> bool:
    symbol = None if axis.size is None else axis.size.symbol
    return symbol is not None and table_symbol(symbol.name) == "batch_size"


def has_weights(hypothesis: Hypothesis) -> bool:
    """Whether a learned weight stands between the states, so that their sizes need not agree."""
    return any(role in LEARNED for role in hypothesis.roles.values())


def parameter_names(function: Function) -> list[str]:
    """The names of the parameters that a caller gives, in order."""
    names = [parameter.name.value for parameter in parameters_of(function.node)]
    return names[1:] if function.owner is not None and function.static != "staticmethod" else names


def hints(tracer: Tracer, function: Function) -> Hints:
    """What call sites, declarations, annotations and docstrings say about the parameters."""
    ranks: dict[str, int] = {}
    sizes: dict[str, tuple[int | None, ...]] = {}
    for name, values in _seen(tracer, function).items():
        shapes = [_sizes(tracer, value) for value in values]
        known = [shape for shape in shapes if shape is not None]
        if not known or any(len(shape) != len(known[0]) for shape in known):
            continue
        ranks[name] = len(known[0])
        sizes[name] = known[0]
    return Hints(
        ranks=ranks,
        sizes=sizes,
        shapes=tracer.evidence.shapes_of(function),
        has_weights=function.owner is not None,
    )


def _seen(tracer: Tracer, function: Function) -> dict[str, list[Value]]:
    seen: dict[str, list[Value]] = {}
    for arguments in tracer.calls_of(function):
        for name, value in arguments.items():
            seen.setdefault(name, []).append(value)
    return seen


def _sizes(tracer: Tracer, value: Value) -> tuple[int | None, ...] | None:
    shape = expanded(value, tracer.home_facts)
    if shape is None or not shape.closed:
        return None
    return tuple(None if axis.size is None else axis.size.evaluate() for axis in shape.axes)


def _known(traced: Traced) -> int:
    """How many operations gave a shape: how much a hypothesis explains."""
    tensors = (as_tensor(operation.output) for operation in traced.graph.operations)
    return sum(tensor is not None and tensor.shape is not None for tensor in tensors)
